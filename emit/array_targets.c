/*
 * array_targets.c: the libraries of array_targets.def.  Each one's file is included four times: for ROW(op, form,
 * text), for SPELLING(op, form, name, text), for CALLS(mode, name, ...), then for SYNTAX(member, value).
 */
#include "array.h"
#include "expected.h"

#define SYNTAX(...)
#define CALLS(...)
#define SPELLING(...)
#define ROW(id, form, text) {OP_##id, FORM_##form, text},
static const struct op_row jax_rows[] = {
#include "jax.def"
};
static const struct op_row tensorflow_rows[] = {
#include "tensorflow.def"
};
static const struct op_row mlx_rows[] = {
#include "mlx.def"
};
static const struct op_row nx_rows[] = {
#include "nx.def"
};
#undef ROW
#undef SPELLING
#define ROW(...)
#define SPELLING(id, form, name, text) {OP_##id, FORM_##form, text, name},
static const struct op_row jax_spellings[] = {
#include "jax.def"
    {0}};
static const struct op_row tensorflow_spellings[] = {
#include "tensorflow.def"
    {0}};
static const struct op_row mlx_spellings[] = {
#include "mlx.def"
    {0}};
static const struct op_row nx_spellings[] = {
#include "nx.def"
    {0}};
#undef CALLS
#undef SPELLING
#define SPELLING(...)
#define CALLS(...) {__VA_ARGS__},
static const struct array_calls jax_calls[] = {
#include "jax.def"
    {0}};
static const struct array_calls tensorflow_calls[] = {
#include "tensorflow.def"
    {0}};
static const struct array_calls mlx_calls[] = {
#include "mlx.def"
    {0}};
static const struct array_calls nx_calls[] = {
#include "nx.def"
    {0}};
#undef SYNTAX
#undef CALLS

#define ROWS(id) \
	.name = #id, .row = id##_rows, .n_row = sizeof id##_rows / sizeof *id##_rows, .calls = id##_calls, \
	.spelling = id##_spellings
#define CALLS(...)
#define SYNTAX(member, ...) .member = __VA_ARGS__,
const struct array_target array_jax = {
    ROWS(jax),
#include "jax.def"
};
const struct array_target array_tensorflow = {
    ROWS(tensorflow),
#include "tensorflow.def"
};
const struct array_target array_mlx = {
    ROWS(mlx),
#include "mlx.def"
};
const struct array_target array_nx = {
    ROWS(nx),
#include "nx.def"
};
