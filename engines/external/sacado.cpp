/* sacado.cpp: Sacado behind adjudge's protocol.  Build: g++ -O1 -std=c++17 -DOMPI_SKIP_MPICXX -I/usr/include/trilinos -I/usr/lib/x86_64-linux-gnu/openmpi/include sacado.cpp -ltrilinos_teuchoscomm -ltrilinos_teuchoscore -ltrilinos_kokkoscore -lcjson -o sacado */
#include <Sacado_No_Kokkos.hpp>
#include <Trilinos_version.h>

#include "overload.hpp"

using adjudge::List;
using adjudge::Stack;

/* Two directions: that of the request is the second.  The first has a 1 for each variable, and must not matter. */
template <template <class> class Fad> struct Jvp : adjudge::Forwards {
	template <class T> using Number = Fad<T>;
	template <class T> static Number<T> constant(const T &value) { return Number<T>(value); }
	template <class T> static Number<T> variable(const T &value, const T &tangent)
	{
		Number<T> x(2, 0, value);
		x.fastAccessDx(1) = tangent;
		return x;
	}
	template <class T> static T value(const Number<T> &x) { return x.val(); }
	template <class T> static T tangent(const Number<T> &x) { return x.hasFastAccess() ? x.fastAccessDx(1) : T(0.0); }
};

struct Vjp : adjudge::Backwards {
	template <class T> using Number = Sacado::Rad::ADvar<T>;
	template <class T> static Number<T> constant(const T &value) { return Number<T>(value); }
	template <class T> static T value(const Number<T> &x) { return x.val(); }
	template <class T> struct Tape {
		using Numbers = std::vector<Number<T>>;
		Number<T> variable(const T &value) { return Number<T>(value); }
		/* It also makes the next number start a new tape. */
		std::vector<T> sweep(const Numbers &variables, Numbers &results, std::vector<T> cotangents)
		{
			std::vector<Number<T> *> at;
			std::vector<T> out;
			for (Number<T> &y : results)
				at.push_back(&y);
			Number<T>::Weighted_Gradcomp(at.size(), at.data(), cotangents.data());
			for (const Number<T> &x : variables)
				out.push_back(x.adj());
			return out;
		}
	};
};

struct Ops {
	template <class T> static void scalars(adjudge::Scalars<T> &s)
	{
		adjudge::usual(s);
		ADJUDGE_UNARY("atan", atan(a)); ADJUDGE_UNARY("asinh", asinh(a)); ADJUDGE_UNARY("acosh", acosh(a)); ADJUDGE_UNARY("atanh", atanh(a));
		ADJUDGE_BINARY("pow", pow(a, b)); ADJUDGE_BINARY("atan2", atan2(a, b)); ADJUDGE_BINARY("max", max(a, b)); ADJUDGE_BINARY("min", min(a, b));
	}
};

template <class T> using SFad = Sacado::Fad::SFad<T, 2>;

template <template <class> class Fad> struct Forward : Ops {
	using J = Jvp<Fad>;
	using Stacks = List<Stack<J>, Stack<J, J>>;
};
struct Reverse : Ops {
	using J = Jvp<Sacado::Fad::DFad>;
	using Stacks = List<Stack<Vjp>, Stack<J, Vjp>, Stack<Vjp, J>>;
};

int main(int n, char **argument)
{
	std::string mode = n > 1 ? argument[1] : "fad";
	auto serve = [&](auto engine) {
		return adjudge::serve_levels<decltype(engine)>(("sacado " + mode).c_str(), TRILINOS_VERSION_STRING, "\"weak_zero\":true,");
	};
	return mode == "fad" ? serve(Forward<Sacado::Fad::DFad>()) : mode == "rad" ? serve(Reverse()) : mode == "elr" ? serve(Forward<Sacado::ELRFad::DFad>()) :
	    mode == "cache" ? serve(Forward<Sacado::CacheFad::DFad>()) : mode == "static" ? serve(Forward<SFad>()) : 2;
}
