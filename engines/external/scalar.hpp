/*
 * scalar.hpp: straight programs over any number type, for C++ engines that overload arithmetic.  Numbers are f64;
 * integers and bool are constants at the point.
 */
#pragma once

#include "program.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <type_traits>

namespace adjudge
{

/* Calls f(flat position) for a strided walk over axes of those extents, in row-major order. */
template <class F> void walk(const Shape &extent, const Shape &stride, int start, F f)
{
	Shape at(extent.size(), 0);
	if (!elements(extent))
		return;
	for (;;) {
		int flat = start;
		for (size_t d = 0; d < extent.size(); d++)
			flat += at[d] * stride[d];
		f(flat);
		size_t d = extent.size();
		while (d > 0 && ++at[d - 1] == extent[d - 1])
			at[--d] = 0;
		if (!d)
			return;
	}
}

inline Shape row_major(const Shape &s)
{
	Shape stride(s.size(), 1);
	for (size_t d = s.size(); d-- > 1;)
		stride[d - 1] = stride[d] * s[d];
	return stride;
}

/* The position that an index means on an axis of extent n, or -1 when it is dropped. */
inline int position(double index, const std::string &mode, int n)
{
	long i = static_cast<long>(index);
	if (n == 0 || (mode == "drop" && (i < 0 || i >= n)))
		return -1;
	if (mode == "wrap")
		return static_cast<int>(((i % n) + n) % n);
	return static_cast<int>(i < 0 ? 0 : i >= n ? n - 1 : i);
}

/* ---- the interpreter ---- */

/*
 * Ops of one and two operands that the number type has under these names.  An op that the engine lacks is not made of
 * other ops.  The derivative of a square as a*a, for instance, would be two contributions, each rounded.
 *
 * A name "add|+=" is another spelling of add, called +=.  Where it does not take the operands, the first one is used.
 */
template <class T> struct Scalars {
	std::map<std::string, std::function<T(const T &)>> unary;
	std::map<std::string, std::function<T(const T &, const T &)>> binary;
	/* The same where one operand is a constant of the program, for a type that has such overloads. */
	std::map<std::string, std::function<T(const T &, double)>> constant_right;
	std::map<std::string, std::function<T(double, const T &)>> constant_left;
	/* Reductions of a line of elements by a call of the engine's own.  reduce_sum and its like have a first
	 * spelling that uses the ops above. */
	std::map<std::string, std::function<T(const std::vector<T> &)>> lines;
	/* The first where the mask is true, else the second, by a choice of the engine's own.  Empty: no engine sees
	 * that there was a choice. */
	std::function<T(bool, const T &, const T &)> choose;
	/* The elements at these positions, by an array of the engine's own; empty as above. */
	std::function<std::vector<T>(const std::vector<T> &, const std::vector<int> &)> take;
	/* Spellings, as "select|CondExpGt", whose rule is not in a map. */
	std::set<std::string> others;

	const std::function<T(const T &, const T &)> &of_two(const std::string &key) const
	{
		auto at = rule(binary, key);
		if (at == binary.end())
			throw Unsupported(key + " of two variables");
		return at->second;
	}
	/* The rule of that name in a map, or else that of the op's first spelling. */
	template <class Map> static typename Map::const_iterator rule(const Map &map, const std::string &key)
	{
		auto at = map.find(key);
		return at == map.end() ? map.find(key.substr(0, key.find('|'))) : at;
	}
	/* The names of an op's spellings beside the first. */
	std::vector<std::string> spellings(const std::string &op) const
	{
		const std::string begin = op + "|";
		std::set<std::string> out;
		auto name = [](const auto &row) -> const std::string & {
			if constexpr (std::is_same_v<decltype(row), const std::string &>)
				return row;
			else
				return row.first;
		};
		auto add = [&](const auto &rows) {
			for (auto at = rows.lower_bound(begin);
			     at != rows.end() && !name(*at).compare(0, begin.size(), begin); ++at)
				out.insert(name(*at).substr(begin.size()));
		};
		add(unary), add(binary), add(constant_right), add(constant_left), add(lines), add(others);
		return {out.begin(), out.end()};
	}
	/* The key of the spelling that a variant draws. */
	std::string drawn(const std::string &op, unsigned variant) const
	{
		if (!variant)
			return op;
		const std::vector<std::string> names = spellings(op);
		size_t k = spelling(variant, op, names.size() + 1);
		return k ? op + "|" + names[k - 1] : op;
	}
};

/* A constant of number type T.  A type over another number type may want one of that type. */
template <class T> T literal(double x)
{
	if constexpr (std::is_constructible_v<T, double>)
		return T(x);
	else
		return T(literal<typename T::Scalar>(x));
}

template <class T> class Interpreter
{
	using Vec = std::vector<T>;
	const Program &p;
	const Scalars<T> &scalars;
	std::vector<Vec> v;

	const Shape &shape(int k) const { return p.value[k].shape; }

	/* Flat positions in operand k of the elements of the result, by broadcasting. */
	std::vector<int> spread(int k, const Shape &to) const
	{
		const Shape &from = shape(k);
		Shape stride(to.size(), 0), own = row_major(from);
		std::vector<int> out;
		for (size_t d = 0; d < from.size(); d++)
			if (from[d] != 1)
				stride[to.size() - from.size() + d] = own[d];
		walk(to, stride, 0, [&](int flat) { out.push_back(flat); });
		return out;
	}
	/* Flat positions of operand k that a walk visits. */
	static std::vector<int> visit(const Shape &extent, const Shape &stride, int start)
	{
		std::vector<int> out;
		walk(extent, stride, start, [&](int flat) { out.push_back(flat); });
		return out;
	}
	Vec taken(int k, const std::vector<int> &at) const
	{
		Vec out;
		for (int i : at)
			out.push_back(v[k][i]);
		return out;
	}
	/* The numbers of value k where it is a constant of the program, for each element of the result; otherwise none.
	 */
	std::vector<double> known(int k, const Shape &to) const
	{
		std::vector<double> out;
		auto constant = p.constants.find(k);
		if (constant != p.constants.end())
			for (int i : spread(k, to))
				out.push_back(constant->second[i]);
		return out;
	}
	/* op, or a spelling of it, of a and value k. */
	Vec with(const std::string &op, const Vec &a, int k, const Shape &to) const
	{
		Vec b = taken(k, spread(k, to)), out;
		std::vector<double> right = known(k, to);
		auto mixed = scalars.rule(scalars.constant_right, op);
		bool constant = mixed != scalars.constant_right.end() && !right.empty();
		for (size_t i = 0; i < a.size(); i++)
			out.push_back(constant ? mixed->second(a[i], right[i]) : scalars.of_two(op)(a[i], b[i]));
		return out;
	}
	Vec paired(const Node &n, const Shape &to) const
	{
		std::vector<double> left = known(n.args[0], to);
		const std::string key = scalars.drawn(n.op, p.variant);
		auto mixed = scalars.rule(scalars.constant_left, key);
		if (left.empty() || mixed == scalars.constant_left.end())
			return with(key, taken(n.args[0], spread(n.args[0], to)), n.args[1], to);
		Vec b = taken(n.args[1], spread(n.args[1], to)), out;
		for (size_t i = 0; i < b.size(); i++)
			out.push_back(mixed->second(left[i], b[i]));
		return out;
	}
	std::vector<int> window(int k, const Shape &start, const Shape &size, const Shape &step) const
	{
		Shape own = row_major(shape(k)), stride = own;
		int first = 0;
		for (size_t d = 0; d < own.size(); d++) {
			first += start[d] * own[d];
			stride[d] = own[d] * step[d];
		}
		return visit(size, stride, first);
	}
	Shape clamped(const Node &n, int operand, const Shape &size) const
	{
		Shape out;
		const auto &start = p.constant(n.args[operand]);
		for (size_t d = 0; d < size.size(); d++) {
			int most = shape(n.args[0])[d] - size[d],
			    s = static_cast<int>(std::fmax(-1e9, std::fmin(1e9, start[d])));
			out.push_back(s < 0 ? 0 : s > most ? most : s);
		}
		return out;
	}
	void replace(const Node &n, const std::vector<int> &at, const Vec &update)
	{
		Vec out = v[n.args[0]];
		for (size_t k = 0; k < at.size(); k++)
			out[at[k]] = update[k];
		v[n.out] = out;
	}
	/* Calls f(positions of one line in operand 0) for each result element, over an axis list. */
	template <class F> void lines(const Node &n, const Shape &axes, F f)
	{
		Shape own = row_major(shape(n.args[0])), kept, kept_stride, gone, gone_stride;
		for (size_t d = 0; d < own.size(); d++) {
			bool reduced = false;
			for (int axis : axes)
				reduced |= axis == static_cast<int>(d);
			(reduced ? gone : kept).push_back(shape(n.args[0])[d]);
			(reduced ? gone_stride : kept_stride).push_back(own[d]);
		}
		for (int first : visit(kept, kept_stride, 0))
			f(visit(gone, gone_stride, first));
	}
	/* An indexing op along an axis: flat = outer * (extent * inner) + position * inner + rest. */
	struct Axis {
		int outer, extent, inner;
	};
	Axis axis_of(const Node &n) const
	{
		Axis a{1, shape(n.args[0])[n.axis()], 1};
		for (size_t d = 0; d < shape(n.args[0]).size(); d++)
			(static_cast<int>(d) < n.axis() ? a.outer
			        : static_cast<int>(d) > n.axis()
			        ? a.inner
			        : a.extent) *= static_cast<int>(d) == n.axis() ? 1 : shape(n.args[0])[d];
		return a;
	}
	void matmul(const Node &n);
	void indexed(const Node &n);
	void moved(const Node &n);
	void reduced(const Node &n);

      public:
	Interpreter(const Program &program, const Scalars<T> &s) : p(program), scalars(s), v(program.value.size()) {}

	std::vector<Vec> run(const std::vector<Vec> &input)
	{
		for (int k = 0; k < p.n_input; k++)
			v[k] = input[k];
		for (const Node &n : p.nodes) {
			auto one = scalars.unary.find(n.op);
			if (one != scalars.unary.end())
				one = scalars.rule(scalars.unary, scalars.drawn(n.op, p.variant));
			const Shape &to = shape(n.out);
			if (n.op == "constant") {
				check_doubles(p.value[n.out], cJSON_GetObjectItemCaseSensitive(n.json, "value"));
				for (double x : p.constants.at(n.out))
					v[n.out].push_back(literal<T>(x));
			} else if (one != scalars.unary.end()) {
				for (const T &x : v[n.args[0]])
					v[n.out].push_back(one->second(x));
			} else if (scalars.binary.count(n.op) || scalars.constant_right.count(n.op)) {
				v[n.out] = paired(n, to);
			} else if (n.op == "clamp") {
				v[n.out] = with("min",
				    with("max", taken(n.args[0], spread(n.args[0], to)), n.args[1], to), n.args[2], to);
			} else if (n.op == "select") {
				const auto &mask = p.constant(n.args[0]);
				std::vector<int> m = spread(n.args[0], to), a = spread(n.args[1], to),
				                 b = spread(n.args[2], to);
				for (size_t k = 0; k < m.size(); k++) {
					const T &first = v[n.args[1]][a[k]], &second = v[n.args[2]][b[k]];
					const bool is_first = mask[m[k]] != 0;
					v[n.out].push_back(scalars.choose ? scalars.choose(is_first, first, second)
					        : is_first                ? first
					                                  : second);
				}
			} else if (n.op == "matmul") {
				matmul(n);
			} else {
				v[n.out].clear();
				moved(n);
			}
		}
		std::vector<Vec> out;
		for (int r : p.results)
			out.push_back(v[r]);
		return out;
	}
};

template <class T> void Interpreter<T>::matmul(const Node &n)
{
	Shape a = shape(n.args[0]), b = shape(n.args[1]), to = shape(n.out);
	bool row = a.size() == 1, column = b.size() == 1;
	if (row)
		a.insert(a.begin(), 1);
	if (column)
		b.push_back(1);
	if (row)
		to.insert(to.end() - (column ? 0 : 1), 1);
	if (column)
		to.push_back(1);
	size_t rank = to.size();
	int rows = to[rank - 2], columns = to[rank - 1], inner = a[a.size() - 1];
	auto matrices = [&](const Shape &s) {
		Shape batch(to.begin(), to.end() - 2), own(s.begin(), s.end() - 2), stride(batch.size(), 0),
		    major = row_major(s);
		for (size_t d = 0; d < own.size(); d++)
			if (own[d] != 1)
				stride[batch.size() - own.size() + d] = major[d];
		return visit(batch, stride, 0);
	};
	std::vector<int> left = matrices(a), right = matrices(b);
	for (size_t m = 0; m < left.size(); m++)
		for (int i = 0; i < rows; i++)
			for (int j = 0; j < columns; j++) {
				T sum = literal<T>(0.0);
				for (int k = 0; k < inner; k++)
					sum = sum +
					    v[n.args[0]][left[m] + i * inner + k] *
					        v[n.args[1]][right[m] + k * columns + j];
				v[n.out].push_back(sum);
			}
}

/* Ops that move elements. */
template <class T> void Interpreter<T>::moved(const Node &n)
{
	const Shape &to = shape(n.out);
	const Shape none;
	const Shape &from = n.args.empty() ? none : shape(n.args[0]);
	Shape own = row_major(from);
	if (n.op == "copy" || n.op == "reshape" || n.op == "squeeze" || n.op == "cast") {
		v[n.out] = v[n.args[0]];
	} else if (n.op == "broadcast_to") {
		v[n.out] = taken(n.args[0], spread(n.args[0], to));
	} else if (n.op == "transpose") {
		Shape stride;
		for (int axis : n.list("axes"))
			stride.push_back(own[axis]);
		v[n.out] = taken(n.args[0], visit(to, stride, 0));
	} else if (n.op == "reverse") {
		int start = 0;
		Shape stride = own;
		for (int axis : n.list("axes")) {
			start += (from[axis] - 1) * own[axis];
			stride[axis] = -own[axis];
		}
		v[n.out] = taken(n.args[0], visit(to, stride, start));
	} else if (n.op == "slice") {
		v[n.out] = taken(n.args[0], window(n.args[0], n.list("start"), to, n.strides(from.size())));
	} else if (n.op == "slice_scatter") {
		replace(n, window(n.args[0], n.list("start"), shape(n.args[1]), n.strides(from.size())), v[n.args[1]]);
	} else if (n.op == "dynamic_slice") {
		v[n.out] = taken(n.args[0], window(n.args[0], clamped(n, 1, to), to, Shape(to.size(), 1)));
	} else if (n.op == "dynamic_update_slice") {
		const Shape &size = shape(n.args[1]);
		replace(n, window(n.args[0], clamped(n, 2, size), size, Shape(size.size(), 1)), v[n.args[1]]);
	} else if (n.op == "pad") {
		Shape low = n.list("low"), stride = row_major(to);
		int start = 0;
		for (size_t d = 0; d < low.size(); d++)
			start += low[d] * stride[d];
		v[n.out].assign(elements(to), v[n.args[1]][0]);
		std::vector<int> at = visit(from, stride, start);
		for (size_t k = 0; k < at.size(); k++)
			v[n.out][at[k]] = v[n.args[0]][k];
	} else if (n.op == "concatenate") {
		int outer = 1;
		for (int d = 0; d < n.axis(); d++)
			outer *= to[d];
		for (int o = 0; o < outer; o++)
			for (int arg : n.args) {
				size_t part = v[arg].size() / static_cast<size_t>(outer);
				v[n.out].insert(v[n.out].end(), v[arg].begin() + static_cast<long>(o * part),
				    v[arg].begin() + static_cast<long>((o + 1) * part));
			}
	} else if (n.op == "masked_scatter") {
		const auto &mask = p.constant(n.args[1]);
		size_t next = 0;
		v[n.out] = v[n.args[0]];
		for (size_t k = 0; k < mask.size(); k++)
			if (mask[k] && next < v[n.args[2]].size())
				v[n.out][k] = v[n.args[2]][next++];
	} else {
		indexed(n);
	}
}

template <class T> void Interpreter<T>::indexed(const Node &n)
{
	static const std::map<std::string, const char *> scatters = {{"scatter_set", ""}, {"scatter_add", "add"},
	    {"scatter_mul", "mul"}, {"scatter_min", "min"}, {"scatter_max", "max"}};
	auto scatter = scatters.find(n.op);
	if (n.op == "gather") {
		Axis a = axis_of(n);
		const auto &index = p.constant(n.args[1]);
		std::vector<int> from;
		for (int o = 0; o < a.outer; o++)
			for (double i : index) {
				int at = position(i, n.mode(), a.extent);
				for (int r = 0; r < a.inner; r++)
					from.push_back(at < 0 ? -1 : (o * a.extent + at) * a.inner + r);
			}
		bool dropped = std::find(from.begin(), from.end(), -1) != from.end();
		if (scalars.take && !dropped)
			v[n.out] = scalars.take(v[n.args[0]], from);
		else
			for (int at : from)
				v[n.out].push_back(at < 0 ? literal<T>(0.0) : v[n.args[0]][at]);
	} else if (n.op == "take_along_axis") {
		Axis a = axis_of(n);
		const auto &index = p.constant(n.args[1]);
		int extent = shape(n.args[1])[n.axis()];
		for (size_t k = 0; k < index.size(); k++) {
			int r = static_cast<int>(k) % a.inner, o = static_cast<int>(k) / (extent * a.inner),
			    at = position(index[k], n.mode(), a.extent);
			v[n.out].push_back(at < 0 ? literal<T>(0.0) : v[n.args[0]][(o * a.extent + at) * a.inner + r]);
		}
	} else if (scatter != scatters.end()) {
		Axis a = axis_of(n);
		const auto &index = p.constant(n.args[1]);
		int slices = shape(n.args[2])[n.axis()];
		Vec out = v[n.args[0]];
		for (size_t k = 0; k < index.size(); k++) {
			int at = position(index[k], n.mode(), a.extent);
			for (int o = 0; at >= 0 && o < a.outer; o++)
				for (int r = 0; r < a.inner; r++) {
					T &x = out[(o * a.extent + at) * a.inner + r];
					const T &u = v[n.args[2]][(o * slices + static_cast<int>(k)) * a.inner + r];
					x = *scatter->second ? scalars.of_two(scatter->second)(x, u) : u;
				}
		}
		v[n.out] = out;
	} else {
		reduced(n);
	}
}

template <class T> void Interpreter<T>::reduced(const Node &n)
{
	const Vec &x = v[n.args[0]];
	if (n.op == "cumsum" || n.op == "cumprod") {
		bool sum = n.op == "cumsum";
		v[n.out] = x;
		lines(n, {n.axis()}, [&](const std::vector<int> &at) {
			for (size_t k = 1; k < at.size(); k++)
				v[n.out][at[k]] = sum ? T(v[n.out][at[k - 1]] + x[at[k]])
				                      : T(v[n.out][at[k - 1]] * x[at[k]]);
		});
		return;
	}
	const auto own = scalars.lines.find(scalars.drawn(n.op, p.variant));
	if (n.op.compare(0, 7, "reduce_") && own == scalars.lines.end())
		throw Unsupported("op " + n.op);
	lines(n, n.list("axes"), [&](const std::vector<int> &at) {
		if (own != scalars.lines.end() && !at.empty()) {
			v[n.out].push_back(own->second(taken(n.args[0], at)));
			return;
		}
		bool product = n.op == "reduce_prod", extremum = n.op == "reduce_max" || n.op == "reduce_min";
		T out = literal<T>(product ? 1.0 : 0.0);
		if (at.empty() && n.op != "reduce_sum" && !product)
			throw Unsupported(n.op + " of nothing");
		if (extremum) {
			const char *op = n.op == "reduce_min" ? "min" : "max";
			out = x[at[0]];
			for (size_t k = 1; k < at.size(); k++)
				out = scalars.of_two(op)(out, x[at[k]]);
		}
		for (size_t k = 0; k < at.size() && !extremum; k++)
			out = product ? T(out * x[at[k]]) : T(out + x[at[k]]);
		if (n.op == "reduce_mean")
			out = scalars.of_two("div")(out, literal<T>(static_cast<double>(at.size())));
		v[n.out].push_back(out);
	});
}

} // namespace adjudge
