/* mlx_ops.hpp: the tensors and ops of MLX, for mlx.cpp.  See ../PROTOCOL.md. */
#pragma once

#include <mlx/linalg.h>
#include <mlx/mlx.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include "program.hpp"

namespace mx = mlx::core;
using adjudge::Binding;
using adjudge::Node;
using adjudge::Program;
using adjudge::Unsupported;
using Arrays = std::vector<mx::array>;

/* ---- values ---- */

static const std::map<std::string, mx::Dtype> dtypes = {{"f64", mx::float64}, {"f32", mx::float32}, {"bf16", mx::bfloat16}, {"f16", mx::float16},
    {"i64", mx::int64}, {"i32", mx::int32}, {"bool", mx::bool_}};

static mx::Shape shape_of(const adjudge::Shape &s)
{
	return mx::Shape(s.begin(), s.end());
}

static int64_t integer(const cJSON *v)
{
	return cJSON_IsString(v) ? std::strtoll(v->valuestring, nullptr, 10) : cJSON_IsBool(v) ? cJSON_IsTrue(v) : static_cast<int64_t>(v->valuedouble);
}

static mx::array tensor(const cJSON *data, const Binding &b)
{
	if (b.is_float()) {
		std::vector<double> x = adjudge::reals(data);
		return mx::array(x.begin(), shape_of(b.shape), dtypes.at(b.dtype));
	}
	std::vector<int64_t> x;
	if (!cJSON_IsArray(data))
		x.push_back(integer(data));
	else
		for (const cJSON *v = data->child; v; v = v->next)
			x.push_back(integer(v));
	return mx::array(x.begin(), shape_of(b.shape), dtypes.at(b.dtype));
}

/* ---- ops ---- */

/* A node and the values so far. */
struct Call {
	const Program &p;
	const Node &n;
	const std::vector<std::optional<mx::array>> &v;

	const mx::array &operator[](int k) const { return *v[n.args[k]]; }
	const Binding &type(int k) const { return p.value[n.args[k]]; }
	const Binding &out() const { return p.value[n.out]; }
	mx::Dtype dtype() const { return dtypes.at(out().dtype); }
	mx::Shape shape() const { return shape_of(out().shape); }
	int extent() const { return type(0).shape[n.axis()]; }
	std::vector<int> axes() const { return n.list("axes"); }
	bool keepdims() const { return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(n.json, "keepdims")); }
	mx::array number(double x) const { return mx::array(x, dtype()); }
};

using Rule = std::function<mx::array(const Call &)>;

static Rule one(mx::array (*f)(const mx::array &, mx::StreamOrDevice))
{
	return [f](const Call &c) { return f(c[0], {}); };
}

static Rule two(mx::array (*f)(const mx::array &, const mx::array &, mx::StreamOrDevice))
{
	return [f](const Call &c) { return f(c[0], c[1], {}); };
}

/* Without axes, the operand.  MLX may change integer types, so the result is cast to its type. */
static Rule reduction(mx::array (*f)(const mx::array &, const std::vector<int> &, bool, mx::StreamOrDevice), bool of_none = true)
{
	return [f, of_none](const Call &c) {
		std::vector<int> axes = c.axes();
		for (int d : axes)
			if (!of_none && !c.type(0).shape[d])
				throw Unsupported(c.n.op + " of nothing");
		mx::array y = axes.empty() ? c[0] : f(c[0], axes, c.keepdims(), {});
		return c.out().is_float() ? y : mx::astype(y, c.dtype());
	};
}

static Rule running(mx::array (*f)(const mx::array &, int, bool, bool, mx::StreamOrDevice))
{
	return [f](const Call &c) {
		mx::array y = f(c[0], c.n.axis(), false, true, {});
		return c.out().is_float() ? y : mx::astype(y, c.dtype());
	};
}

/* start, stop and stride of a slice; a stop before the first element is written from the end. */
struct Window {
	mx::Shape start, stop, stride;

	Window(const adjudge::Shape &from, const adjudge::Shape &size, const adjudge::Shape &first, const adjudge::Shape &step)
	{
		for (size_t d = 0; d < size.size(); d++) {
			int s = size[d] > 1 ? step[d] : 1, end = size[d] ? first[d] + (size[d] - 1) * s + (s > 0 ? 1 : -1) : first[d];
			start.push_back(first[d]);
			stop.push_back(end < 0 ? -from[d] - 1 : end);
			stride.push_back(s);
		}
	}
};

/* Clamped starts of dynamic_slice and dynamic_update_slice. */
static mx::array starts(const Call &c, int operand, const adjudge::Shape &size)
{
	std::vector<int> most;
	for (size_t d = 0; d < size.size(); d++)
		most.push_back(c.type(0).shape[d] - size[d]);
	mx::array last(most.begin(), {static_cast<int>(most.size())}, mx::int64);
	return mx::astype(mx::clip(mx::astype(c[operand], mx::int64), mx::array(0, mx::int64), last), mx::int32);
}

static std::vector<int> all_axes(const adjudge::Shape &s)
{
	std::vector<int> axes(s.size());
	std::iota(axes.begin(), axes.end(), 0);
	return axes;
}

/* Operand 1 as positions on the axis, and where they are not dropped. */
struct Positions {
	mx::array at;
	std::optional<mx::array> kept;

	explicit Positions(const Call &c) : at(mx::astype(c[1], mx::int64))
	{
		mx::array zero(0, mx::int64), n(c.extent(), mx::int64), last(c.extent() - 1, mx::int64);
		if (!c.extent())
			throw Unsupported(c.n.op + " of nothing");
		if (c.n.mode() == "wrap") {
			at = mx::remainder(at, n);
			return;
		}
		if (c.n.mode() == "drop")
			kept = mx::logical_and(mx::greater_equal(at, zero), mx::less(at, n));
		at = mx::clip(at, zero, last);
	}
};

static mx::array gather(const Call &c)
{
	Positions p(c);
	mx::array y = mx::take(c[0], p.at, c.n.axis());
	if (!p.kept)
		return y;
	mx::Shape room(c.out().shape.size(), 1);
	std::copy(c.type(1).shape.begin(), c.type(1).shape.end(), room.begin() + c.n.axis());
	return mx::where(mx::reshape(*p.kept, room), y, c.number(0));
}

static mx::array take_along_axis(const Call &c)
{
	Positions p(c);
	mx::array y = mx::take_along_axis(c[0], p.at, c.n.axis());
	return p.kept ? mx::where(*p.kept, y, c.number(0)) : y;
}

/* A dropped update is replaced by one that changes nothing. */
static Rule scatter(mx::array (*f)(const mx::array &, const Arrays &, const mx::array &, const std::vector<int> &, mx::StreamOrDevice), double nothing)
{
	return [f, nothing](const Call &c) {
		Positions p(c);
		int axis = c.n.axis(), k = c.type(1).shape[0];
		adjudge::Shape size = c.type(2).shape;
		size[axis] = k;
		Window w(c.type(2).shape, size, adjudge::Shape(size.size(), 0), adjudge::Shape(size.size(), 1));
		mx::array update = mx::expand_dims(mx::moveaxis(mx::slice(c[2], w.start, w.stop, w.stride), axis, 0), axis + 1);
		if (p.kept) {
			mx::Shape room(update.ndim(), 1);
			room[0] = k;
			update = mx::where(mx::reshape(*p.kept, room), update, c.number(nothing));
		}
		return f(c[0], {p.at}, update, {axis}, {});
	};
}

/* MLX does not define which of several duplicates wins, so only the last one is handed over. */
static mx::array scatter_set(const Call &c)
{
	int axis = c.n.axis(), extent = c.extent();
	std::vector<int> at, from;
	const std::vector<double> &index = c.p.constant(c.n.args[1]);
	for (size_t k = index.size(); k-- > 0;) {
		double i = index[k];
		bool inside = i >= 0 && i < extent;
		if (!extent || (!inside && c.n.mode() == "drop"))
			continue;
		int to = static_cast<int>(inside ? i : c.n.mode() == "wrap" ? i - std::floor(i / extent) * extent : i < 0 ? 0 : extent - 1);
		if (std::find(at.begin(), at.end(), to) != at.end())
			continue;
		at.push_back(to);
		from.push_back(static_cast<int>(k));
	}
	if (at.empty())
		return c[0];
	int n = static_cast<int>(at.size());
	mx::array update = mx::take(c[2], mx::array(from.begin(), {n}, mx::int32), axis);
	return mx::scatter(c[0], mx::array(at.begin(), {n}, mx::int32), mx::expand_dims(mx::moveaxis(update, axis, 0), axis + 1), axis);
}

/* Past the end of the source, MLX does not define the result. */
static mx::array masked_scatter(const Call &c)
{
	if (adjudge::elements(c.type(2).shape) < adjudge::elements(c.type(1).shape)) {
		const std::vector<double> &mask = c.p.constant(c.n.args[1]);
		if (std::accumulate(mask.begin(), mask.end(), 0.0) > static_cast<double>(adjudge::elements(c.type(2).shape)))
			throw Unsupported("masked_scatter of too few");
	}
	/* Its source has one axis, and a mask that is differentiated is an error. */
	return mx::masked_scatter(c[0], mx::stop_gradient(c[1]), mx::flatten(c[2]));
}

static mx::array norm(const Call &c)
{
	if (c.axes().size() > 2)
		throw Unsupported("norm over more than two axes");
	return c.axes().empty() ? mx::abs(c[0]) : mx::linalg::norm(c[0], c.axes(), c.keepdims());
}

static mx::array cast(const Call &c)
{
	if (c.type(0).is_float() && c.out().dtype[0] == 'i')
		throw Unsupported("a cast of a float to an integer");
	return mx::astype(c[0], c.dtype());
}

static mx::array divide(const Call &c)
{
	if (!c.out().is_float())
		throw Unsupported("integer division");
	return mx::divide(c[0], c[1]);
}

/* Of floats: mod and floor_divide divide, too. */
static Rule of_quotient(mx::array (*f)(const mx::array &, const mx::array &, mx::StreamOrDevice))
{
	return [f](const Call &c) {
		if (!c.out().is_float())
			throw Unsupported("integer division");
		return f(c[0], c[1], {});
	};
}

static mx::array iota(const Call &c)
{
	adjudge::Shape shape = c.n.list("shape");
	mx::Shape room(shape.size(), 1);
	room[c.n.axis()] = shape[c.n.axis()];
	return mx::broadcast_to(mx::reshape(mx::astype(mx::arange(shape[c.n.axis()]), c.dtype()), room), shape_of(shape));
}

static mx::array slice(const Call &c)
{
	Window w(c.type(0).shape, c.out().shape, c.n.list("start"), c.n.strides(c.out().shape.size()));
	return mx::slice(c[0], w.start, w.stop, w.stride);
}

static mx::array slice_scatter(const Call &c)
{
	Window w(c.type(0).shape, c.type(1).shape, c.n.list("start"), c.n.strides(c.out().shape.size()));
	return mx::slice_update(c[0], c[1], w.start, w.stop, w.stride);
}

static mx::array reverse(const Call &c)
{
	const adjudge::Shape &shape = c.type(0).shape;
	adjudge::Shape start(shape.size(), 0), step(shape.size(), 1);
	for (int d : c.axes()) {
		start[d] = shape[d] > 1 ? shape[d] - 1 : 0;
		step[d] = -1;
	}
	Window w(shape, shape, start, step);
	return mx::slice(c[0], w.start, w.stop, w.stride);
}

static mx::array pad(const Call &c)
{
	adjudge::Shape low = c.n.list("low"), high = c.n.list("high");
	std::vector<std::pair<int, int>> width;
	for (size_t d = 0; d < low.size(); d++)
		width.emplace_back(low[d], high[d]);
	return width.empty() ? c[0] : mx::pad(c[0], width, c[1]);
}

static mx::array concatenate(const Call &c)
{
	Arrays parts;
	for (size_t k = 0; k < c.n.args.size(); k++)
		parts.push_back(c[static_cast<int>(k)]);
	return mx::concatenate(parts, c.n.axis());
}

static const std::map<std::string, Rule> rules = {
    {"constant", [](const Call &c) { return tensor(cJSON_GetObjectItemCaseSensitive(c.n.json, "value"), c.out()); }},
    {"copy", [](const Call &c) { return mx::copy(c[0]); }}, {"stop_gradient", one(mx::stop_gradient)},
    {"neg", one(mx::negative)}, {"abs", one(mx::abs)}, {"sign", one(mx::sign)}, {"square", one(mx::square)}, {"sqrt", one(mx::sqrt)}, {"rsqrt", one(mx::rsqrt)},
    {"exp", one(mx::exp)}, {"expm1", one(mx::expm1)}, {"log", one(mx::log)}, {"log1p", one(mx::log1p)}, {"sin", one(mx::sin)}, {"cos", one(mx::cos)},
    {"tan", one(mx::tan)}, {"asin", one(mx::arcsin)}, {"acos", one(mx::arccos)}, {"atan", one(mx::arctan)}, {"sinh", one(mx::sinh)}, {"cosh", one(mx::cosh)},
    {"tanh", one(mx::tanh)}, {"asinh", one(mx::arcsinh)}, {"acosh", one(mx::arccosh)}, {"atanh", one(mx::arctanh)}, {"logistic", one(mx::sigmoid)},
    {"erf", one(mx::erf)}, {"floor", one(mx::floor)}, {"ceil", one(mx::ceil)}, {"round", [](const Call &c) { return mx::round(c[0]); }},
    {"logical_not", one(mx::logical_not)}, {"bitwise_invert", one(mx::bitwise_invert)},
    {"add", two(mx::add)}, {"sub", two(mx::subtract)}, {"mul", two(mx::multiply)}, {"div", divide},
    {"mod", of_quotient(mx::remainder)}, {"floor_divide", of_quotient(mx::floor_divide)}, {"pow", two(mx::power)}, {"atan2", two(mx::arctan2)},
    {"max", two(mx::maximum)}, {"min", two(mx::minimum)}, {"logical_and", two(mx::logical_and)}, {"logical_or", two(mx::logical_or)},
    {"bitwise_and", two(mx::bitwise_and)}, {"bitwise_or", two(mx::bitwise_or)}, {"bitwise_xor", two(mx::bitwise_xor)},
    {"eq", two(mx::equal)}, {"ne", two(mx::not_equal)}, {"logical_xor", two(mx::not_equal)}, {"lt", two(mx::less)}, {"le", two(mx::less_equal)},
    {"gt", two(mx::greater)}, {"ge", two(mx::greater_equal)},
    {"clamp", [](const Call &c) { return mx::clip(c[0], c[1], c[2]); }}, {"select", [](const Call &c) { return mx::where(c[0], c[1], c[2]); }},
    {"cast", cast}, {"iota", iota}, {"broadcast_to", [](const Call &c) { return mx::broadcast_to(c[0], c.shape()); }},
    {"reshape", [](const Call &c) { return mx::reshape(c[0], c.shape()); }}, {"squeeze", [](const Call &c) { return mx::squeeze(c[0], c.axes()); }},
    {"transpose", [](const Call &c) { return mx::transpose(c[0], c.axes()); }}, {"reverse", reverse}, {"slice", slice}, {"slice_scatter", slice_scatter},
    {"dynamic_slice", [](const Call &c) {
	     const adjudge::Shape &size = c.out().shape;
	     return size.empty() ? c[0] : mx::slice(c[0], starts(c, 1, size), all_axes(size), shape_of(size));
     }},
    {"dynamic_update_slice", [](const Call &c) {
	     const adjudge::Shape &size = c.type(1).shape;
	     return size.empty() ? c[1] : mx::slice_update(c[0], c[1], starts(c, 2, size), all_axes(size));
     }},
    {"pad", pad}, {"concatenate", concatenate}, {"gather", gather}, {"take_along_axis", take_along_axis}, {"scatter_set", scatter_set},
    {"scatter_add", scatter(mx::scatter_add, 0)}, {"scatter_mul", scatter(mx::scatter_prod, 1)}, {"scatter_min", scatter(mx::scatter_min, INFINITY)},
    {"scatter_max", scatter(mx::scatter_max, -INFINITY)}, {"masked_scatter", masked_scatter},
    {"reduce_sum", reduction(mx::sum)}, {"reduce_prod", reduction(mx::prod)}, {"reduce_max", reduction(mx::max, false)},
    {"reduce_min", reduction(mx::min, false)}, {"reduce_mean", reduction(mx::mean)}, {"logsumexp", reduction(mx::logsumexp, false)},
    {"norm", norm},
    {"cumsum", running(mx::cumsum)}, {"cumprod", running(mx::cumprod)}, {"matmul", two(mx::matmul)},
    {"sort", [](const Call &c) { return mx::sort(c[0], c.n.axis()); }},
    {"argsort", [](const Call &c) { return mx::astype(mx::argsort(c[0], c.n.axis()), mx::int64); }},
    {"argmax", [](const Call &c) { return mx::astype(mx::argmax(c[0], c.n.axis(), false), mx::int64); }},
};
