/* adolc.cpp: ADOL-C behind adjudge's protocol.  Build: g++ -O1 -std=c++17 -DENGINE_VERSION='"2.7.2"' adolc.cpp -ladolc -lcjson -o adolc */
/* Modes: plain; condassign, select as condassign of a taped condition, so that both branches are on the tape.  plain has
 * that as a spelling, too. */
#include <adolc/adolc.h>

#include "spellings.hpp"
#include "tape.hpp"

#ifndef ENGINE_VERSION
#define ENGINE_VERSION "" /* its headers do not contain it */
#endif

using adjudge::Program;

struct Tape {
	using Number = adouble;
	static inline bool condassigns = false; /* the mode */
	std::vector<double> x;                  /* the last one is 1 */
	int m = 0;

	static void scalars(adjudge::Scalars<adouble> &s)
	{
#define UNARY(name, call) s.unary[name] = [](const adouble &a) -> adouble { return call; }
		UNARY("neg", -a); UNARY("abs", fabs(a)); UNARY("sqrt", sqrt(a)); UNARY("rsqrt", 1.0 / sqrt(a));
		UNARY("exp", exp(a)); UNARY("log", log(a)); UNARY("sin", sin(a)); UNARY("cos", cos(a)); UNARY("tan", tan(a));
		UNARY("asin", asin(a)); UNARY("acos", acos(a)); UNARY("atan", atan(a)); UNARY("sinh", sinh(a)); UNARY("cosh", cosh(a));
		UNARY("tanh", tanh(a)); UNARY("asinh", asinh(a)); UNARY("acosh", acosh(a)); UNARY("atanh", atanh(a)); UNARY("erf", erf(a));
		UNARY("floor", floor(a)); UNARY("ceil", ceil(a));
#undef UNARY
#define BINARY(name, call) s.binary[name] = [](const adouble &a, const adouble &b) -> adouble { return call; }
		BINARY("add", a + b); BINARY("sub", a - b); BINARY("mul", a * b); BINARY("div", a / b); BINARY("pow", pow(a, b));
		BINARY("atan2", atan2(a, b)); BINARY("max", fmax(a, b)); BINARY("min", fmin(a, b));
#undef BINARY
/* A double beside an adouble is another operation of the tape.  x / 3.0 is none here: it is a product with 1/3.
 * So is x /= y. */
#define MIXED(op, call) \
	s.constant_right[op "|by a double"] = [](const adouble &a, double b) -> adouble { return call; }; \
	s.constant_left[op "|by a double"] = [](double a, const adouble &b) -> adouble { return call; }
		MIXED("add", a + b); MIXED("sub", a - b); MIXED("mul", a * b); MIXED("pow", pow(a, b));
#undef MIXED
		using T = adouble;
		adjudge::spelled(s);
		s.binary.erase("div|/="), s.constant_right.erase("div|/="), s.constant_left.erase("div|/=");
		if (!condassigns)
			s.others = {"select|condassign"};
	}
	void record(const Program &p, const std::vector<double> &point, std::vector<double> &y)
	{
		adjudge::Scalars<adouble> s;
		scalars(s);
		x.clear();
		y.clear();
		trace_on(1);
		try {
			std::vector<std::vector<adouble>> in;
			adouble one_more;
			size_t at = 0;
			for (int k = 0; k < p.n_input; k++) {
				in.emplace_back(adjudge::elements(p.value[k].shape));
				for (adouble &one : in.back()) {
					double value = point[at++];
					if (p.is_active(k)) {
						one <<= value;
						x.push_back(value);
					} else {
						one = value;
					}
				}
			}
			one_more <<= 1;
			x.push_back(1);
			if (condassigns || s.drawn("select", p.variant) != "select")
				s.choose = [&](bool first, const adouble &a, const adouble &b) {
					adouble out;
					condassign(out, first ? one_more : adouble(-one_more), a, b);
					return out;
				};
			for (std::vector<adouble> &result : adjudge::Interpreter<adouble>(p, s).run(in))
				for (adouble &one : result) {
					double value;
					one >>= value;
					y.push_back(value);
				}
		} catch (...) {
			trace_off(); /* a trace left on spoils all that follow */
			throw;
		}
		trace_off();
		m = static_cast<int>(y.size());
	}
	int n() const { return static_cast<int>(x.size()); }
	/* What is asked about the inputs of the program, with or without the one that the tape has beside them. */
	static std::vector<double> sized(std::vector<double> list, size_t size)
	{
		list.resize(size);
		return list;
	}
	static std::vector<double> own(std::vector<double> list) { return sized(list, list.size() - 1); }
	std::vector<double> jacvec(std::vector<double> v)
	{
		v = sized(v, x.size());
		std::vector<double> y(static_cast<size_t>(m)), out(static_cast<size_t>(m));
		if (fos_forward(1, m, n(), 0, x.data(), v.data(), y.data(), out.data()) < 0)
			throw adjudge::Unsupported("the tape asks to be recorded anew");
		return out;
	}
	std::vector<double> vecjac(std::vector<double> w)
	{
		std::vector<double> y(static_cast<size_t>(m)), out(x.size());
		if (zos_forward(1, m, n(), 1, x.data(), y.data()) < 0 || fos_reverse(1, m, n(), w.data(), out.data()) < 0)
			throw adjudge::Unsupported("the tape asks to be recorded anew");
		return own(out);
	}
	std::vector<double> hessvec(std::vector<double> w, std::vector<double> v)
	{
		v = sized(v, x.size());
		std::vector<double> out(x.size());
		if (lagra_hess_vec(1, m, n(), x.data(), v.data(), w.data(), out.data()) < 0)
			throw adjudge::Unsupported("the tape asks to be recorded anew");
		return own(out);
	}
};

/*
 * The errors of its own formulas, if exp and log are off by 1 ulp, at most 2u.  Let t = exp(-|x|).
 *
 * - sinh = (1/t - t)/2 loses 3u/(2t) + ut + u|sinh|, at most 4u|sinh| + 5u/2.
 * - cosh' = (1/t - t)/2, from t' = -t and t'/t^2, loses another u/(2t) and ut.
 * - tanh = (1 - t^2)/(1 + t^2) loses 4u|tanh| + u.
 * - pow = exp(b log a) loses 3u|b log a| + 2u, and |b log a| < 745.2.
 */
static const char declares[] = "\"weak_zero\":true,\"accuracy\":{\"sinh\":{\"absolute\":2},\"cosh\":{\"absolute\":2},\"tanh\":{\"absolute\":1},\"pow\":1120},";

int main(int n, char **argument)
{
	std::string mode = n > 1 ? argument[1] : "plain";
	Tape::condassigns = mode == "condassign";
	return adjudge::serve<Tape>(Tape::condassigns ? "adol-c condassign" : "adol-c", ENGINE_VERSION, declares);
}
