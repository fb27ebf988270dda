/* program.hpp: shared by the adapters in C++: cases as programs, and the protocol.  See ../PROTOCOL.md. */
#pragma once

#include <cjson/cJSON.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace adjudge
{

using Shape = std::vector<int>;

struct Unsupported : std::runtime_error {
	using std::runtime_error::runtime_error;
};

inline size_t elements(const Shape &s)
{
	size_t n = 1;
	for (int extent : s)
		n *= static_cast<size_t>(extent);
	return n;
}

/* ---- JSON ---- */

inline double real(const cJSON *v)
{
	if (cJSON_IsString(v))
		return std::strtod(v->valuestring, nullptr);
	return cJSON_IsBool(v) ? cJSON_IsTrue(v) : v->valuedouble;
}

inline std::vector<double> reals(const cJSON *v)
{
	std::vector<double> out;
	if (!cJSON_IsArray(v))
		return {real(v)};
	for (const cJSON *x = v->child; x; x = x->next)
		out.push_back(real(x));
	return out;
}

inline Shape ints(const cJSON *object, const char *key)
{
	Shape out;
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);
	for (const cJSON *x = v ? v->child : nullptr; x; x = x->next)
		out.push_back(x->valueint);
	return out;
}

/* "v3: f64[2,3]" */
struct Binding {
	std::string name, dtype;
	Shape shape;

	explicit Binding(const char *text)
	{
		const char *colon = std::strchr(text, ':'), *bracket = std::strchr(text, '[');
		name.assign(text, colon);
		dtype.assign(colon + 2, bracket);
		for (const char *at = bracket + 1; *at != ']'; at += *at == ',')
			shape.push_back(static_cast<int>(std::strtol(at, const_cast<char **>(&at), 10)));
	}
	bool is_float() const { return dtype[0] == 'f' || dtype == "bf16"; }
};

/* Throws if the elements v of a value contain an integer beyond 2^53.  It is a string, and no double holds it. */
inline void check_doubles(const Binding &of, const cJSON *v)
{
	if (!of.is_float() && cJSON_IsString(v))
		throw Unsupported("an integer beyond 2^53");
	for (const cJSON *x = cJSON_IsArray(v) ? v->child : nullptr; x; x = x->next)
		check_doubles(of, x);
}

/* Which of n spellings the variant of a case draws for an op, or for "request" (../PROTOCOL.md). */
inline size_t spelling(unsigned variant, const std::string &name, size_t n)
{
	uint32_t h = 2166136261u ^ variant;
	for (unsigned char byte : name)
		h = (h ^ byte) * 16777619u;
	return variant && n ? (h ^ h >> 16) % n : 0;
}

/* ---- programs ---- */

struct Node {
	std::string op;
	std::vector<int> args;
	int out;
	const cJSON *json;

	int axis() const
	{
		const cJSON *v = cJSON_GetObjectItemCaseSensitive(json, "axis");
		return v ? v->valueint : 0;
	}
	std::string mode() const { return cJSON_GetObjectItemCaseSensitive(json, "mode")->valuestring; }
	Shape list(const char *key) const { return ints(json, key); }
	Shape strides(size_t rank) const
	{
		Shape s = list("stride");
		return s.empty() ? Shape(rank, 1) : s;
	}
};

/*
 * A case's program.  value[]: the type of each value.  constants: the elements of constant values.  active: the inputs
 * that a level differentiates, or all without a level; the tape has the others as constants.
 */
struct Program {
	std::vector<Binding> value;
	std::map<std::string, int> number;
	std::map<int, std::vector<double>> constants;
	std::vector<Node> nodes;
	std::vector<int> results, active;
	int n_input = 0;
	unsigned variant = 0; /* draws spellings */

	explicit Program(const cJSON *c)
	{
		for (const cJSON *v = cJSON_GetObjectItemCaseSensitive(c, "inputs")->child; v; v = v->next, n_input++)
			define(v->valuestring);
		for (const cJSON *v = cJSON_GetObjectItemCaseSensitive(c, "body")->child; v; v = v->next) {
			Node node{cJSON_GetObjectItemCaseSensitive(v, "op")->valuestring, {}, 0, v};
			const cJSON *args = cJSON_GetObjectItemCaseSensitive(v, "args");
			for (const cJSON *x = args ? args->child : nullptr; x; x = x->next)
				node.args.push_back(number.at(x->valuestring));
			node.out = define(cJSON_GetObjectItemCaseSensitive(v, "out")->child->valuestring);
			if (node.op == "constant")
				constants[node.out] = reals(cJSON_GetObjectItemCaseSensitive(v, "value"));
			nodes.push_back(node);
		}
		for (const cJSON *v = cJSON_GetObjectItemCaseSensitive(c, "results")->child; v; v = v->next)
			results.push_back(number.at(v->valuestring));
		if (const cJSON *v = cJSON_GetObjectItemCaseSensitive(c, "variant"))
			variant = static_cast<unsigned>(v->valueint);
	}
	bool is_active(int input) const { return std::find(active.begin(), active.end(), input) != active.end(); }
	const std::vector<double> &constant(int v) const
	{
		auto at = constants.find(v);
		if (at == constants.end())
			throw Unsupported("an index that is no constant");
		return at->second;
	}

      private:
	int define(const char *text)
	{
		value.emplace_back(text);
		number[value.back().name] = static_cast<int>(value.size()) - 1;
		return static_cast<int>(value.size()) - 1;
	}
};

/* ---- the protocol ---- */

inline std::string quoted(const std::string &text)
{
	std::string out = "\"";
	for (char c : text)
		if (c == '"' || c == '\\')
			out += std::string("\\") + c;
		else
			out += c >= ' ' && c <= '~' ? c : ' ';
	return out + "\"";
}

template <class F> std::string answer_case(const cJSON *c, F answer)
{
	std::string out = "[";
	for (const cJSON *point = cJSON_GetObjectItemCaseSensitive(c, "points")->child; point; point = point->next) {
		out += out.size() > 1 ? "," : "";
		try {
			out += answer(c, point);
		} catch (const Unsupported &e) {
			out += "{\"status\":\"unsupported\",\"text\":" + quoted(e.what()) + "}";
		} catch (const std::exception &e) {
			out += "{\"status\":\"error\",\"text\":" + quoted(e.what()) + "}";
		}
	}
	return out + "]";
}

/* hello: members of the first line.  answer(case, point): an answer as JSON; an exception is an answer too. */
template <class F> int answer_lines(const std::string &hello, F answer)
{
	std::string line;
	std::cout << "{\"adjudge.engine\":1," << hello << "}" << std::endl;
	while (std::getline(std::cin, line)) {
		cJSON *request = cJSON_Parse(line.c_str());
		if (!request)
			return 1;
		std::string out = "{\"id\":" +
		    std::to_string(static_cast<long>(cJSON_GetObjectItemCaseSensitive(request, "id")->valuedouble)) +
		    ",\"answers\":[";
		bool first = true;
		for (const cJSON *c = cJSON_GetObjectItemCaseSensitive(request, "cases")->child; c;
		     c = c->next, first = false)
			out += (first ? "" : ",") + answer_case(c, answer);
		cJSON_Delete(request);
		std::cout << out << "]}" << std::endl;
	}
	return 0;
}

} // namespace adjudge
