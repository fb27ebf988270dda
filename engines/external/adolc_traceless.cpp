/* adolc_traceless.cpp: ADOL-C's traceless numbers behind adjudge's protocol.  Build: g++ -O1 -std=c++17 -DENGINE_VERSION='"2.7.2"' adolc_traceless.cpp -ladolc -lcjson -o adolc_traceless */
#include <adolc/adtl.h>

#include "overload.hpp"

#ifndef ENGINE_VERSION
#define ENGINE_VERSION "" /* its headers do not contain it */
#endif

namespace adtl
{
inline adouble abs(const adouble &a) { return fabs(a); } /* it has no other name for it */
} // namespace adtl

/* Two directions: that of the request is the second.  The first must not matter. */
struct Jvp : adjudge::Forwards {
	template <class T> using Number = adtl::adouble;
	template <class T> static Number<T> variable(const T &value, const T &tangent)
	{
		const double directions[] = {1, tangent};
		return Number<T>(value, directions);
	}
	template <class T> static Number<T> constant(const T &value) { return Number<T>(value); }
	template <class T> static T value(const Number<T> &x) { return x.getValue(); }
	template <class T> static T tangent(const Number<T> &x) { return x.getADValue(1); }
};

struct Engine {
	using Stacks = adjudge::List<adjudge::Stack<Jvp>>;
	template <class T> static void scalars(adjudge::Scalars<T> &s)
	{
		adjudge::usual(s);
		ADJUDGE_UNARY("atan", atan(a)); ADJUDGE_UNARY("asinh", asinh(a)); ADJUDGE_UNARY("acosh", acosh(a));
		ADJUDGE_UNARY("atanh", atanh(a)); ADJUDGE_UNARY("erf", erf(a)); ADJUDGE_UNARY("floor", floor(a)); ADJUDGE_UNARY("ceil", ceil(a));
		ADJUDGE_BINARY("pow", pow(a, b)); ADJUDGE_BINARY("atan2", atan2(a, b)); ADJUDGE_BINARY("max", fmax(a, b)); ADJUDGE_BINARY("min", fmin(a, b));
	}
};

int main()
{
	adtl::setNumDir(2);
	return adjudge::serve_levels<Engine>("adol-c traceless", ENGINE_VERSION, "\"weak_zero\":true,");
}
