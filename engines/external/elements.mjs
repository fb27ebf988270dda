/*
 * Shared by adapters in JavaScript whose engines have no arrays, or fewer ops on them than adjudge: where each element of
 * a result comes from.  Positions count row-major.
 */
import { resolved, sizeOf, startsOf } from "./adapter.mjs";

/* ---- positions ---- */

const range = (n) => Array.from({ length: n }, (_, k) => k);
const strides = (shape) => shape.map((_, d) => sizeOf(shape.slice(d + 1)));

/* The places that `steps` lead to from `start`. */
const walk = (extents, steps, start = 0) => extents.reduce((places, extent, d) => places.flatMap((p) => range(extent).map((i) => p + i * steps[d])), [start]);

/* Where the elements of a value of this shape come from, broadcast to another. */
export const spread = (shape, to) => walk(to, [...to.slice(shape.length).fill(0), ...strides(shape).map((s, d) => shape[d] === 1 ? 0 : s)]);

const window = (shape, start, extent, step) => walk(extent, strides(shape).map((s, d) => s * step[d]), strides(shape).reduce((sum, s, d) => sum + s * start[d], 0));

/* The positions of each line along some axes. */
export function lines(shape, axes) {
    const own = strides(shape), kept = range(shape.length).filter((d) => !axes.includes(d));
    return walk(kept.map((d) => shape[d]), kept.map((d) => own[d])).map((first) => walk(axes.map((d) => shape[d]), axes.map((d) => own[d]), first));
}

/* ---- ops that move elements ---- */

function reversed(n) {
    const own = strides(n.shape);
    return walk(n.shape, own.map((s, d) => n.a.axes.includes(d) ? -s : s), n.a.axes.reduce((sum, d) => sum + (n.shape[d] - 1) * own[d], 0));
}

/* gather, and take_along_axis.  null: the index is dropped. */
function gathered(n) {
    const axis = n.a.axis ?? 0, shape = n.shapeOf(0), own = strides(shape), { at, gone } = resolved(n.const(1), n.a.mode, shape[axis]);
    return walk(shape.slice(0, axis), own.slice(0, axis)).flatMap((o) => at.flatMap((i, k) => range(own[axis]).map((r) => gone[k] ? null : o + i * own[axis] + r)));
}

function along(n) {
    const axis = n.a.axis ?? 0, own = strides(n.shapeOf(0)), { at, gone } = resolved(n.const(1), n.a.mode, n.shapeOf(0)[axis]);
    return walk(n.shape, own.map((s, d) => d === axis ? 0 : s)).map((p, k) => gone[k] ? null : p + at[k] * own[axis]);
}

/* Operand 1 at these places of operand 0. */
function updated(n, places) {
    const out = range(sizeOf(n.shape)).map((k) => [0, k]);
    places.forEach((place, k) => { out[place] = [1, k]; });
    return out;
}

function padded(n) {
    const out = range(sizeOf(n.shape)).map(() => [1, 0]);
    window(n.shape, n.a.low, n.shapeOf(0), n.shape.map(() => 1)).forEach((place, k) => { out[place] = [0, k]; });
    return out;
}

function joined(n) {
    const axis = n.a.axis ?? 0, parts = n.args.map((_, k) => sizeOf(n.shapeOf(k).slice(axis)));
    return range(sizeOf(n.shape.slice(0, axis))).flatMap((outer) => parts.flatMap((part, k) => range(part).map((i) => [k, outer * part + i])));
}

function selected(n) {
    const at = [0, 1, 2].map((k) => spread(n.shapeOf(k), n.shape)), mask = n.const(0);
    return range(sizeOf(n.shape)).map((i) => mask[at[0][i]] ? [1, at[1][i]] : [2, at[2][i]]);
}

/* scatter_set: the last of several wins. */
function set(n) {
    const out = range(sizeOf(n.shape)).map((k) => [0, k]);
    scattered(n).forEach((from, k) => { if (from.length) out[k] = [2, from.at(-1)]; });
    return out;
}

const first = (places) => (n) => places(n).map((k) => k === null ? null : [0, k]);
const all = first((n) => range(sizeOf(n.shape))), step = (n) => n.a.stride ?? n.shapeOf(0).map(() => 1);

/* The operand and the position that each element of these ops comes from, or null for a zero. */
export const MOVES = {
    copy: all, reshape: all, squeeze: all, broadcast_to: first((n) => spread(n.shapeOf(0), n.shape)), reverse: first(reversed), gather: first(gathered), take_along_axis: first(along),
    transpose: first((n) => walk(n.shape, n.a.axes.map((d) => strides(n.shapeOf(0))[d]))),
    slice: first((n) => window(n.shapeOf(0), n.a.start, n.shape, step(n))), dynamic_slice: first((n) => window(n.shapeOf(0), startsOf(n, 1, n.shape), n.shape, n.shape.map(() => 1))),
    slice_scatter: (n) => updated(n, window(n.shape, n.a.start, n.shapeOf(1), step(n))),
    dynamic_update_slice: (n) => updated(n, window(n.shape, startsOf(n, 2, n.shapeOf(1)), n.shapeOf(1), n.shape.map(() => 1))),
    pad: padded, concatenate: joined, select: selected, scatter_set: set,
};

/* ---- ops that combine elements ---- */

/* Of each element of a scatter, the updates that it takes, in order. */
export function scattered(n) {
    const axis = n.a.axis ?? 0, out = range(sizeOf(n.shape)).map(() => []), from = lines(n.shapeOf(2), [axis]), { at, gone } = resolved(n.const(1), n.a.mode, n.shape[axis]);
    lines(n.shape, [axis]).forEach((line, l) => at.forEach((i, k) => gone[k] || out[line[i]].push(from[l][k])));
    return out;
}

/* Of each element of a matrix product, the pairs of positions whose products it is the sum of. */
export function products(n) {
    const [a, b] = [n.shapeOf(0), n.shapeOf(1)], batch = n.shape.slice(0, n.shape.length - (a.length > 1) - (b.length > 1));
    const [left, right] = [a.length > 1 ? a : [1, ...a], b.length > 1 ? b : [...b, 1]];
    const starts = (s) => walk(batch, [...batch.slice(s.length - 2).fill(0), ...strides(s).slice(0, -2).map((w, d) => s[d] === 1 ? 0 : w)]);
    const [m, inner] = left.slice(-2), columns = right.at(-1), second = starts(right);
    return starts(left).flatMap((p, k) => range(m).flatMap((i) => range(columns).map((j) => range(inner).map((c) => [p + i * inner + c, second[k] + c * columns + j]))));
}

/* The elements of a reduction or a running sum, each a list of those that it combines. */
export function groups(n) {
    const { axes = [], axis = 0 } = n.a, out = [];
    if (!n.op.startsWith("cum"))
        return lines(n.shapeOf(0), axes);
    lines(n.shape, [axis]).forEach((line) => line.forEach((k, i) => { out[k] = line.slice(0, i + 1); }));
    return out;
}
