/*
 * overload.hpp: C++ engines whose number types carry derivatives, alone and nested.  See ../PROTOCOL.md;
 * number_type.cpp is an engine to start from.
 *
 * An adapter names one struct for each transform that its types do, and the stacks of them, outermost first:
 *
 *    struct Jvp : adjudge::Forwards {
 *            template <class T> using Number = a number over T, with a tangent;
 *            template <class T> static Number<T> constant(const T &value), variable(const T &value, const T &tangent);
 *            template <class T> static T value(const Number<T> &), tangent(const Number<T> &);
 *    };
 *    struct Vjp : adjudge::Backwards {
 *            template <class T> using Number = ...;
 *            template <class T> static Number<T> constant(const T &value);
 *            template <class T> static T value(const Number<T> &);
 *            template <class T> struct Tape { the constructor starts to record, the destructor forgets it
 *                    Number<T> variable(const T &value);
 *                    the adjoint of each variable: std::vector<T> sweep(const std::vector<Number<T>> &variables,
 *                        std::vector<Number<T>> &results, const std::vector<T> &cotangents);
 *            };
 *    };
 *    struct Engine {
 *            using Stacks = adjudge::List<Stack<Jvp>, Stack<Vjp, Jvp>>;
 *            template <class T> static void scalars(adjudge::Scalars<T> &);
 *    };
 */
#pragma once

#include "answer.hpp"
#include "spellings.hpp"

namespace adjudge
{

struct Forwards {
	static constexpr const char *name = "jvp";
};
struct Backwards {
	static constexpr const char *name = "vjp";
};
template <class... Levels> struct Stack {
};
template <class... Stacks> struct List {
};

/* A level of a request: which elements of the inputs it differentiates, and a seed for each element of the inputs or of
 * the outputs below. */
struct Level {
	std::string transform;
	std::vector<bool> wanted;
	std::vector<double> seed;
};

struct Question {
	const Program &program;
	std::vector<Level> levels; /* innermost first */
	std::vector<Binding> outputs;

	Question(const Program &p, const cJSON *request) : program(p)
	{
		std::vector<Binding> inputs(p.value.begin(), p.value.begin() + p.n_input);
		for (int r : p.results)
			outputs.push_back(p.value[r]);
		for (const cJSON *v = request->child; v; v = v->next) {
			Level level{cJSON_GetObjectItemCaseSensitive(v, "transform")->valuestring, {}, {}};
			Shape wrt = ints(v, "wrt");
			std::vector<size_t> at = offsets(inputs);
			level.wanted.resize(at.back());
			for (int k : wrt)
				std::fill(level.wanted.begin() + static_cast<long>(at[k]),
				    level.wanted.begin() + static_cast<long>(at[k + 1]), true);
			if (level.transform == Forwards::name) {
				level.seed = seeds(v, "tangents", inputs, wrt);
			} else {
				level.seed = seeds(v, "cotangents", outputs, all(outputs));
				outputs.clear();
				for (int k : wrt)
					outputs.push_back(inputs[k]);
			}
			levels.push_back(level);
		}
	}
	static std::vector<int> all(const std::vector<Binding> &list)
	{
		std::vector<int> out;
		for (size_t k = 0; k < list.size(); k++)
			out.push_back(static_cast<int>(k));
		return out;
	}
};

/* ---- stacks of levels ---- */

template <class T> struct Outputs {
	std::vector<T> primal, derivative;
};

template <class Engine, class T> const Scalars<T> &scalars_of()
{
	static const Scalars<T> scalars = [] {
		Scalars<T> s;
		Engine::scalars(s);
		return s;
	}();
	return scalars;
}

/* Without a level: the program.  x: the elements of all inputs. */
template <class Engine, class T> Outputs<T> derive(Stack<>, const Question &q, const std::vector<T> &x)
{
	std::vector<std::vector<T>> in;
	Outputs<T> out;
	auto next = x.begin();
	for (int k = 0; k < q.program.n_input; k++, next += static_cast<long>(in.back().size()))
		in.emplace_back(next, next + static_cast<long>(elements(q.program.value[k].shape)));
	for (const std::vector<T> &result : Interpreter<T>(q.program, scalars_of<Engine, T>()).run(in))
		out.primal.insert(out.primal.end(), result.begin(), result.end());
	out.derivative = out.primal;
	return out;
}

/* The outermost level has numbers over T; the levels below it compute with these. */
template <class Engine, class T, class Outer, class... Below>
Outputs<T> derive(Stack<Outer, Below...>, const Question &q, const std::vector<T> &x)
{
	using Number = typename Outer::template Number<T>;
	const Level &level = q.levels[sizeof...(Below)];
	Outputs<T> out;
	if constexpr (std::is_base_of_v<Forwards, Outer>) {
		std::vector<Number> in;
		for (size_t k = 0; k < x.size(); k++)
			in.push_back(
			    level.wanted[k] ? Outer::variable(x[k], literal<T>(level.seed[k])) : Outer::constant(x[k]));
		Outputs<Number> below = derive<Engine, Number>(Stack<Below...>{}, q, in);
		for (const Number &y : below.primal)
			out.primal.push_back(Outer::template value<T>(y));
		for (const Number &y : below.derivative)
			out.derivative.push_back(Outer::template tangent<T>(y));
	} else {
		typename Outer::template Tape<T> tape; /* outlives all of its numbers */
		std::vector<Number> variables, in;
		std::vector<T> cotangents;
		variables.reserve(x.size()); /* a number that moves may be another node of the tape */
		for (size_t k = 0; k < x.size(); k++) {
			if (level.wanted[k])
				variables.push_back(tape.variable(x[k]));
			in.push_back(level.wanted[k] ? variables.back() : Outer::constant(x[k]));
		}
		Outputs<Number> below = derive<Engine, Number>(Stack<Below...>{}, q, in);
		for (const Number &y : below.primal)
			out.primal.push_back(Outer::template value<T>(y));
		for (double c : level.seed)
			cotangents.push_back(literal<T>(c));
		out.derivative = tape.sweep(variables, below.derivative, cotangents);
	}
	return out;
}

/* ---- the engine ---- */

template <class... Levels> std::vector<std::string> names(Stack<Levels...>)
{
	std::vector<std::string> out{Levels::name...};
	std::reverse(out.begin(), out.end());
	return out;
}

template <class Engine, class S>
bool answers(S stack, const Question &q, const std::vector<double> &x, Outputs<double> &out)
{
	std::vector<std::string> wanted;
	for (const Level &level : q.levels)
		wanted.push_back(level.transform);
	if (wanted != names(stack))
		return false;
	out = derive<Engine, double>(stack, q, x);
	return true;
}

template <class Engine, class... Stacks>
Outputs<double> answer(List<Stacks...>, const Question &q, const std::vector<double> &x)
{
	Outputs<double> out;
	if (!(... || answers<Engine>(Stacks{}, q, x, out)))
		throw Unsupported("this stack of levels");
	return out;
}

template <class First, class... Rest> std::string first_transform(List<First, Rest...>) { return names(First{})[0]; }

template <class Engine> std::string answer_levels(const cJSON *c, const cJSON *point)
{
	Program p(c);
	Question q(p, cJSON_GetObjectItemCaseSensitive(c, "request"));
	std::vector<double> x = flat_point(p, point);
	std::vector<Binding> results;
	for (int r : p.results)
		results.push_back(p.value[r]);
	bool primal = q.levels.empty();
	if (primal) { /* by the numbers of the first stack, which has one level */
		std::string transform = first_transform(typename Engine::Stacks{});
		size_t n_seed = transform == Forwards::name ? x.size() : offsets(results).back();
		q.levels.push_back({transform, std::vector<bool>(x.size(), true), std::vector<double>(n_seed, 0.0)});
	}
	Outputs<double> out = answer<Engine>(typename Engine::Stacks{}, q, x);
	std::string text = "{\"status\":\"ok\",";
	put_list(text, "primal", results, Question::all(results), out.primal);
	text += ",";
	if (primal)
		text += "\"derivative\":[]";
	else
		put_list(text, "derivative", q.outputs, Question::all(q.outputs), out.derivative);
	return text + "}";
}

inline std::string quoted_list(const std::vector<std::string> &items)
{
	std::string out;
	for (const std::string &item : items)
		out += (out.empty() ? "\"" : ",\"") + item + "\"";
	return "[" + out + "]";
}

template <class Engine, class Outer, class... Below>
const Scalars<typename Outer::template Number<double>> &scalars_of_first(Stack<Outer, Below...>)
{
	return scalars_of<Engine, typename Outer::template Number<double>>();
}

/* declares: more members of the hello, each followed by a comma. */
template <class Engine, class First, class... Rest>
int serve(List<First, Rest...>, const char *name, const char *version, const char *declares)
{
	std::string requests = quoted_list(names(First{}));
	((requests += "," + quoted_list(names(Rest{}))), ...);
	return answer_lines(hello(name, version, "[" + requests + "]", scalars_of_first<Engine>(First{}), declares),
	    answer_levels<Engine>);
}

template <class Engine> int serve_levels(const char *name, const char *version, const char *declares = "")
{
	return serve<Engine>(typename Engine::Stacks{}, name, version, declares);
}

} // namespace adjudge
