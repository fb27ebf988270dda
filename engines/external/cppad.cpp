/* cppad.cpp: CppAD behind adjudge's protocol.  Build: g++ -O1 -std=c++17 cppad.cpp -lcjson -lcppad_lib -o cppad */
/*
 * Modes: plain; optimize, the tape after optimize(); condexp, select as CondExpGt of a taped condition.  The third puts
 * both branches on the tape, where the others have the chosen one alone.  plain has both as spellings, too.
 */
#include <cppad/cppad.hpp>

#include "spellings.hpp"
#include "tape.hpp"

using adjudge::Program;

struct Tape {
	using Number = CppAD::AD<double>;
	static inline std::string mode = "plain";
	CppAD::ADFun<double> f;
	std::vector<double> x; /* of the program; the tape has one more, which is 1 */
	size_t m = 0;

	static void scalars(adjudge::Scalars<Number> &s)
	{
#define UNARY(name, call) s.unary[name] = [](const Number &a) -> Number { return call; }
		UNARY("neg", -a); UNARY("abs", CppAD::abs(a)); UNARY("sign", CppAD::sign(a)); UNARY("sqrt", CppAD::sqrt(a));
		UNARY("rsqrt", 1.0 / CppAD::sqrt(a)); UNARY("exp", CppAD::exp(a)); UNARY("expm1", CppAD::expm1(a)); UNARY("log", CppAD::log(a));
		UNARY("log1p", CppAD::log1p(a)); UNARY("sin", CppAD::sin(a)); UNARY("cos", CppAD::cos(a)); UNARY("tan", CppAD::tan(a));
		UNARY("asin", CppAD::asin(a)); UNARY("acos", CppAD::acos(a)); UNARY("atan", CppAD::atan(a)); UNARY("sinh", CppAD::sinh(a));
		UNARY("cosh", CppAD::cosh(a)); UNARY("tanh", CppAD::tanh(a)); UNARY("asinh", CppAD::asinh(a)); UNARY("acosh", CppAD::acosh(a));
		UNARY("atanh", CppAD::atanh(a)); UNARY("erf", CppAD::erf(a));
#undef UNARY
#define BINARY(name, call) s.binary[name] = [](const Number &a, const Number &b) -> Number { return call; }
		BINARY("add", a + b); BINARY("sub", a - b); BINARY("mul", a * b); BINARY("div", a / b); BINARY("pow", CppAD::pow(a, b));
		BINARY("atan2", CppAD::atan2(a, b)); BINARY("max", CppAD::CondExpGt(a, b, a, b)); BINARY("min", CppAD::CondExpLt(a, b, a, b));
		BINARY("max|CondExpLe", CppAD::CondExpLe(a, b, b, a)); BINARY("min|CondExpGe", CppAD::CondExpGe(a, b, b, a));
#undef BINARY
		using T = Number;
		adjudge::spelled(s);
		ADJUDGE_UNARY("abs|fabs", CppAD::fabs(a));
		s.constant_right["pow|pow(x, int)"] = [](const Number &a, double b) -> Number {
			return b == 0 || b == 1 || b == 2 ? CppAD::pow(a, static_cast<int>(b)) : CppAD::pow(a, Number(b)); /* a higher power rounds more often */
		};
		if (mode == "plain")
			s.others = {"select|CondExpGt", "gather|VecAD", "request|optimize()"};
	}
	void record(const Program &p, const std::vector<double> &point, std::vector<double> &y)
	{
		adjudge::Scalars<Number> s;
		scalars(s);
		std::vector<std::vector<Number>> inputs;
		std::vector<Number> in, out;
		size_t at = 0, active = 0;
		for (int k = 0; k < p.n_input; k++)
			for (size_t n = adjudge::elements(p.value[k].shape); n > 0; n--, at++)
				if (p.is_active(k))
					x.push_back(point[at]);
		for (int r : p.results)
			m += adjudge::elements(p.value[r].shape);
		if (x.empty() || !m)
			throw adjudge::Unsupported("a tape without independent or dependent variables");
		in.assign(x.begin(), x.end());
		in.push_back(1);
		CppAD::Independent(in);
		if (mode == "condexp" || s.drawn("select", p.variant) != "select")
			s.choose = [&](bool first, const Number &a, const Number &b) { return CppAD::CondExpGt(first ? in.back() : -in.back(), Number(0), a, b); };
		if (s.drawn("gather", p.variant) != "gather")
			s.take = [&](const std::vector<Number> &from, const std::vector<int> &at) {
				CppAD::VecAD<double> list(from.size());
				std::vector<Number> taken;
				for (size_t k = 0; k < from.size(); k++)
					list[Number(static_cast<double>(k))] = from[k];
				for (int k : at) /* at a place that the tape sees as a variable */
					taken.push_back(list[in.back() * static_cast<double>(k)]);
				return taken;
			};
		at = 0;
		for (int k = 0; k < p.n_input; k++) {
			inputs.emplace_back();
			for (size_t n = adjudge::elements(p.value[k].shape); n > 0; n--, at++)
				inputs.back().push_back(p.is_active(k) ? in[active++] : Number(point[at]));
		}
		try {
			for (std::vector<Number> &result : adjudge::Interpreter<Number>(p, s).run(inputs))
				out.insert(out.end(), result.begin(), result.end());
		} catch (...) {
			Number::abort_recording();
			throw;
		}
		f.Dependent(in, out);
		if (mode == "optimize" || s.drawn("request", p.variant) != "request")
			f.optimize("no_cumulative_sum_op"); /* which adds in another order */
		f.check_for_nan(false);
		y = f.Forward(0, whole(x, 1));
	}
	/* With what the tape has beside the inputs of the program. */
	static std::vector<double> whole(std::vector<double> list, double last)
	{
		list.push_back(last);
		return list;
	}
	std::vector<double> jacvec(const std::vector<double> &v)
	{
		f.Forward(0, whole(x, 1));
		return f.Forward(1, whole(v, 0));
	}
	std::vector<double> vecjac(const std::vector<double> &w)
	{
		f.Forward(0, whole(x, 1));
		std::vector<double> out = f.Reverse(1, w);
		out.resize(x.size());
		return out;
	}
	std::vector<double> hessvec(const std::vector<double> &w, const std::vector<double> &v)
	{
		std::vector<double> out;
		f.Forward(0, whole(x, 1));
		f.Forward(1, whole(v, 0));
		/* of w times the derivative of f along v: the gradient is second, as in the Hessian of CppAD's own drivers */
		std::vector<double> both = f.Reverse(2, w);
		for (size_t k = 0; k < x.size(); k++)
			out.push_back(both[2 * k + 1]);
		return out;
	}
};

int main(int n, char **argument)
{
	Tape::mode = n > 1 ? argument[1] : "plain";
	return adjudge::serve<Tape>(("cppad" + (Tape::mode != "plain" ? " " + Tape::mode : "")).c_str(), CPPAD_PACKAGE_STRING, "\"weak_zero\":true,");
}
