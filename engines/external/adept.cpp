/* adept.cpp: Adept behind adjudge's protocol.  Build: g++ -O1 -std=c++17 -DENGINE_VERSION='"2.1.3"' adept.cpp -ladept -lcjson -o adept */
#include <adept_arrays.h>

#include "spellings.hpp"
#include "tape.hpp"

using adjudge::Program;

struct Tape {
	using Number = adept::adouble;
	using Reals = std::vector<double>;
	adept::Stack &stack;
	std::vector<Number> x, y;

	static adept::Stack &only()
	{
		static adept::Stack stack; /* a thread may have one */
		return stack;
	}
	Tape() : stack(only()) { stack.new_recording(); }

	template <class T> static void scalars(adjudge::Scalars<T> &s)
	{
		adjudge::usual(s);
		ADJUDGE_UNARY("abs|fabs", fabs(a)); ADJUDGE_UNARY("atan", atan(a)); ADJUDGE_UNARY("asinh", asinh(a)); ADJUDGE_UNARY("acosh", acosh(a)); ADJUDGE_UNARY("atanh", atanh(a));
		ADJUDGE_UNARY("expm1", expm1(a)); ADJUDGE_UNARY("log1p", log1p(a)); ADJUDGE_UNARY("erf", erf(a));
		ADJUDGE_UNARY("floor", floor(a)); ADJUDGE_UNARY("ceil", ceil(a)); ADJUDGE_UNARY("trunc", trunc(a)); ADJUDGE_UNARY("round", rint(a));
		ADJUDGE_BINARY("pow", pow(a, b)); ADJUDGE_BINARY("atan2", atan2(a, b));
		ADJUDGE_BINARY("max", max(a, b)); ADJUDGE_BINARY("min", min(a, b)); ADJUDGE_BINARY("max|fmax", fmax(a, b)); ADJUDGE_BINARY("min|fmin", fmin(a, b));
		/* Operands that are expressions, too: -(-a) is exact. */
		ADJUDGE_BINARY("mul|of expressions", -(-a) * -(-b)); ADJUDGE_BINARY("div|of expressions", -(-a) / -(-b)); ADJUDGE_BINARY("pow|of expressions", pow(-(-a), -(-b)));
		ADJUDGE_BINARY("atan2|of expressions", atan2(-(-a), -(-b))); ADJUDGE_BINARY("max|of expressions", max(-(-a), -(-b))); ADJUDGE_BINARY("min|of expressions", min(-(-a), -(-b)));
	}
	void record(const Program &p, const Reals &point, Reals &primal)
	{
		adjudge::Scalars<Number> s;
		std::vector<std::vector<Number>> in;
		size_t at = 0, next = 0;
		scalars(s);
		for (int k = 0; k < p.n_input; k++)
			for (in.emplace_back(); in.back().size() < adjudge::elements(p.value[k].shape);)
				in.back().push_back(point[at++]);
		for (int k : p.active)
			x.insert(x.end(), in[k].begin(), in[k].end());
		stack.new_recording(); /* forgets how numbers came by their values so far */
		for (int k : p.active)
			for (Number &one : in[k])
				one = x[next++];
		for (const std::vector<Number> &result : adjudge::Interpreter<Number>(p, s).run(in))
			y.insert(y.end(), result.begin(), result.end());
		for (const Number &one : y)
			primal.push_back(one.value());
	}
	/* The gradients of `to` from those of `from`, by a sweep. */
	template <class Sweep> static Reals swept(std::vector<Number> &from, const std::vector<Number> &to, const Reals &seed, Sweep sweep)
	{
		Reals out(to.size(), 0.0);
		if (from.empty())
			return out;
		adept::set_gradients(from.data(), from.size(), seed.data());
		sweep();
		adept::get_gradients(to.data(), to.size(), out.data());
		return out;
	}
	Reals jacvec(const Reals &v)
	{
		return swept(x, y, v, [&] { stack.forward(); });
	}
	Reals vecjac(const Reals &w)
	{
		return swept(y, x, w, [&] { stack.reverse(); });
	}
};

int main() { return adjudge::serve<Tape>("adept", ENGINE_VERSION, "\"weak_zero\":true,"); }
