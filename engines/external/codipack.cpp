/* codipack.cpp: CoDiPack behind adjudge's protocol.  Build: g++ -O1 -std=c++17 -I$CODIPACK/include codipack.cpp -lcjson -o codipack */
#include <codi.hpp>

#include "overload.hpp"

using adjudge::List;
using adjudge::Stack;

struct Jvp : adjudge::Forwards {
	template <class T> using Number = codi::RealForwardGen<T, T>;
	template <class T> static Number<T> constant(const T &value) { return Number<T>(value); }
	template <class T> static Number<T> variable(const T &value, const T &tangent)
	{
		Number<T> x(value);
		x.gradient() = tangent;
		return x;
	}
	template <class T> static T value(const Number<T> &x) { return x.getValue(); }
	template <class T> static T tangent(const Number<T> &x) { return x.getGradient(); }
};

template <template <class> class Real> struct Vjp : adjudge::Backwards {
	template <class T> using Number = Real<T>;
	template <class T> static Number<T> constant(const T &value) { return Number<T>(value); }
	template <class T> static T value(const Number<T> &x) { return x.getValue(); }
	template <class T> struct Tape {
		using Numbers = std::vector<Number<T>>;
		typename Number<T>::Tape &tape = Number<T>::getTape();

		Tape() { tape.setActive(); }
		~Tape()
		{
			tape.setPassive();
			tape.reset();
		}
		Number<T> variable(const T &value)
		{
			Number<T> x(value);
			tape.registerInput(x);
			return x;
		}
		std::vector<T> sweep(const Numbers &variables, Numbers &results, const std::vector<T> &cotangents)
		{
			std::vector<T> out;
			for (Number<T> &y : results)
				tape.registerOutput(y);
			tape.setPassive();
			for (size_t k = 0; k < results.size(); k++)
				results[k].setGradient(cotangents[k]);
			tape.evaluate();
			for (const Number<T> &x : variables)
				out.push_back(x.getGradient());
			return out;
		}
	};
};

struct Ops {
	template <class T> static void scalars(adjudge::Scalars<T> &s)
	{
		adjudge::usual(s);
		ADJUDGE_UNARY("atan", atan(a)); ADJUDGE_UNARY("asinh", asinh(a)); ADJUDGE_UNARY("acosh", acosh(a)); ADJUDGE_UNARY("atanh", atanh(a));
		ADJUDGE_UNARY("erf", erf(a));
		ADJUDGE_BINARY("pow", pow(a, b)); ADJUDGE_BINARY("atan2", atan2(a, b)); ADJUDGE_BINARY("max", max(a, b)); ADJUDGE_BINARY("min", min(a, b));
	}
};

template <class T> using Linear = codi::RealReverseGen<T>;
template <class T> using PrimalIndex = codi::RealReversePrimalIndexGen<T>;

struct Forward : Ops {
	using Stacks = List<Stack<Jvp>, Stack<Jvp, Jvp>>;
};
template <template <class> class Real, class... More> struct Reverse : Ops {
	using Stacks = List<Stack<Vjp<Real>>, Stack<Jvp, Vjp<Real>>, Stack<Vjp<Real>, Jvp>, More...>;
};
/* Without a tape over a tape: the outer one would reuse the index of a value that the inner one still holds. */
using Reused = Reverse<PrimalIndex>;
using Nested = Reverse<Linear, Stack<Vjp<Linear>, Vjp<Linear>>>;

int main(int n, char **argument)
{
	std::string mode = n > 1 ? argument[1] : "linear";
	std::string version = std::to_string(CODI_MAJOR_VERSION) + "." + std::to_string(CODI_MINOR_VERSION) + "." + std::to_string(CODI_BUILD_VERSION);
	auto serve = [&](auto engine) {
		return adjudge::serve_levels<decltype(engine)>(("codipack " + mode).c_str(), version.c_str(), "\"weak_zero\":true,");
	};
	return mode == "forward" ? serve(Forward()) : mode == "linear" ? serve(Nested()) : mode == "primal_index" ? serve(Reused()) : 2;
}
