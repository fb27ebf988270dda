/* ceres_jet.cpp: Ceres's Jet behind adjudge's protocol.  Build: g++ -O1 -std=c++17 -I/usr/include/eigen3 ceres_jet.cpp -lcjson -o ceres_jet */
#include <ceres/jet.h>
#include <ceres/version.h>

#include "overload.hpp"

/* Two directions: that of the request is the second.  The first has a 1 for each variable, and must not matter. */
struct Jvp : adjudge::Forwards {
	template <class T> using Number = ceres::Jet<T, 2>;
	template <class T> static Number<T> constant(const T &value) { return Number<T>(value); }
	template <class T> static Number<T> variable(const T &value, const T &tangent)
	{
		Number<T> x(value, 0);
		x.v[1] = tangent;
		return x;
	}
	template <class T> static T value(const Number<T> &x) { return x.a; }
	template <class T> static T tangent(const Number<T> &x) { return x.v[1]; }
};

struct Engine {
	using Stacks = adjudge::List<adjudge::Stack<Jvp>, adjudge::Stack<Jvp, Jvp>>;
	template <class T> static void scalars(adjudge::Scalars<T> &s)
	{
		adjudge::usual(s);
		ADJUDGE_UNARY("expm1", expm1(a)); ADJUDGE_UNARY("log1p", log1p(a)); ADJUDGE_UNARY("atan", atan(a)); ADJUDGE_UNARY("erf", erf(a));
		ADJUDGE_UNARY("floor", floor(a)); ADJUDGE_UNARY("ceil", ceil(a));
		ADJUDGE_BINARY("pow", pow(a, b)); ADJUDGE_BINARY("atan2", atan2(a, b));
		if constexpr (std::is_same_v<T, Jvp::Number<double>>) { /* not of a Jet over a Jet */
			ADJUDGE_BINARY("max", fmax(a, b)); ADJUDGE_BINARY("min", fmin(a, b));
		}
	}
};

int main() { return adjudge::serve_levels<Engine>("ceres jet", CERES_VERSION_STRING, "\"weak_zero\":true,"); }
