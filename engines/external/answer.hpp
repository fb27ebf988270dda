/* answer.hpp: points, answers and the hello of the C++ adapters whose engine overloads arithmetic.  See ../PROTOCOL.md.
 */
#pragma once

#include "scalar.hpp"

#include <cstdio>
#include <set>

namespace adjudge
{

inline void put_tensor(std::string &out, const Binding &b, const double *x)
{
	char text[64];
	out += "{\"type\":\"" + b.dtype + "[";
	for (size_t d = 0; d < b.shape.size(); d++)
		out += (d ? "," : "") + std::to_string(b.shape[d]);
	out += "]\",\"data\":[";
	for (size_t k = 0; k < elements(b.shape); k++) {
		if (b.is_float())
			std::snprintf(text, sizeof text, "%s\"%a\"", k ? "," : "", x[k]);
		else if (b.dtype == "bool")
			std::snprintf(text, sizeof text, "%s%s", k ? "," : "", x[k] != 0 ? "true" : "false");
		else
			std::snprintf(text, sizeof text, "%s%lld", k ? "," : "", static_cast<long long>(x[k]));
		out += text;
	}
	out += "]}";
}

/* Where each value of the list begins among the scalars of all. */
inline std::vector<size_t> offsets(const std::vector<Binding> &list)
{
	std::vector<size_t> at{0};
	for (const Binding &b : list)
		at.push_back(at.back() + elements(b.shape));
	return at;
}

/* Puts the seeds of a level at the places of their values; integers and bool have none. */
inline std::vector<double> seeds(
    const cJSON *level, const char *key, const std::vector<Binding> &of, const std::vector<int> &which)
{
	std::vector<size_t> at = offsets(of);
	std::vector<double> out(at.back(), 0.0);
	const cJSON *x = cJSON_GetObjectItemCaseSensitive(level, key)->child;
	for (int k : which) {
		std::vector<double> seed = reals(x);
		for (size_t i = 0; i < seed.size() && of[k].is_float(); i++)
			out[at[k] + i] = seed[i];
		x = x->next;
	}
	return out;
}

inline void put_list(std::string &out, const char *key, const std::vector<Binding> &of, const std::vector<int> &which,
    const std::vector<double> &x)
{
	std::vector<size_t> at = offsets(of);
	out += std::string("\"") + key + "\":[";
	for (size_t k = 0; k < which.size(); k++) {
		out += k ? "," : "";
		put_tensor(out, of[which[k]], x.data() + at[which[k]]);
	}
	out += "]";
}

/* The elements of all inputs at a point. */
inline std::vector<double> flat_point(const Program &p, const cJSON *point)
{
	std::vector<double> x;
	size_t input = 0;
	for (const cJSON *v = point->child; v; v = v->next, input++) {
		check_doubles(p.value[input], v);
		for (double one : reals(v))
			x.push_back(one);
	}
	return x;
}

/* requests: a JSON list.  declares: more members of the hello, each followed by a comma. */
template <class T>
std::string hello(const std::string &name, const std::string &version, const std::string &requests,
    const Scalars<T> &scalars, const std::string &declares)
{
	std::set<std::string> names;
	std::string ops =
	    "\"select\",\"matmul\",\"copy\",\"reshape\",\"squeeze\",\"broadcast_to\",\"transpose\",\"reverse\",\"slice\",\"slice_scatter\","
	    "\"dynamic_slice\",\"dynamic_update_slice\",\"pad\",\"concatenate\",\"masked_scatter\",\"gather\",\"take_along_axis\",\"scatter_set\",\"scatter_add\","
	    "\"scatter_mul\",\"cumsum\",\"cumprod\",\"reduce_sum\",\"reduce_prod\"";
	if (scalars.binary.count("div"))
		ops += ",\"reduce_mean\"";
	if (scalars.binary.count("min") && scalars.binary.count("max"))
		ops += ",\"clamp\",\"scatter_min\",\"scatter_max\",\"reduce_max\",\"reduce_min\"";
	for (const auto &op : scalars.unary)
		names.insert(op.first);
	for (const auto &op : scalars.binary)
		names.insert(op.first);
	for (const auto &op : scalars.constant_right)
		names.insert(op.first);
	for (const auto &op : scalars.lines)
		names.insert(op.first);
	for (const std::string &op : scalars.others)
		names.insert(op);
	std::string spellings;
	for (const std::string &op : names) {
		const std::string first = op.substr(0, op.find('|'));
		const std::vector<std::string> more = scalars.spellings(first);
		if (first == op)
			ops += ",\"" + op + "\"";
		if (more.empty() || first + "|" + more[0] != op) /* each op once */
			continue;
		spellings += (spellings.empty() ? "" : ",") + quoted(first) + ":[\"usual\"";
		for (const std::string &name : more)
			spellings += "," + quoted(name);
		spellings += "]";
	}
	return "\"name\":\"" + name + "\",\"version\":\"" + version + "\",\"requests\":" + requests +
	    ",\"dtypes\":[\"f64\",\"i64\",\"i32\",\"bool\"],\"unroll\":true,\"constants\":true,\"cases_per_request\":64," +
	    (spellings.empty() ? "" : "\"spellings\":{" + spellings + "},") + declares + "\"ops\":[" + ops + "]";
}

} // namespace adjudge
