/* boost_autodiff.cpp: Boost.Math's autodiff behind adjudge's protocol.  Build: g++ -O1 -std=c++17 boost_autodiff.cpp -lcjson -o boost_autodiff */
/* At the ends of domains its functions would throw. */
#define BOOST_MATH_DOMAIN_ERROR_POLICY ignore_error
#define BOOST_MATH_POLE_ERROR_POLICY ignore_error
#define BOOST_MATH_OVERFLOW_ERROR_POLICY ignore_error
#include <boost/math/differentiation/autodiff.hpp>
#include <boost/version.hpp>

#include "overload.hpp"

namespace autodiff = boost::math::differentiation;

/* value + tangent t.  A coefficient is set through a reference, as no function sets it. */
struct Jvp : adjudge::Forwards {
	template <class T> using Number = autodiff::detail::fvar<T, 1>;
	template <class T> static Number<T> variable(const T &value, const T &tangent)
	{
		Number<T> x(0.0);
		const_cast<T &>(x[0]) = value;
		const_cast<T &>(x[1]) = tangent;
		return x;
	}
	template <class T> static Number<T> constant(const T &value) { return variable(value, T(0.0)); }
	template <class T> static T value(const Number<T> &x) { return x.at(0); }
	template <class T> static T tangent(const Number<T> &x) { return x.at(1); }
};

struct Engine {
	using Stacks = adjudge::List<adjudge::Stack<Jvp>, adjudge::Stack<Jvp, Jvp>, adjudge::Stack<Jvp, Jvp, Jvp>>;
	template <class T> static void scalars(adjudge::Scalars<T> &s)
	{
		adjudge::usual(s);
		ADJUDGE_UNARY("atan", atan(a)); ADJUDGE_UNARY("asinh", asinh(a)); ADJUDGE_UNARY("acosh", acosh(a)); ADJUDGE_UNARY("atanh", atanh(a));
		ADJUDGE_UNARY("erf", erf(a)); ADJUDGE_UNARY("floor", floor(a)); ADJUDGE_UNARY("ceil", ceil(a));
		ADJUDGE_BINARY("pow", pow(a, b)); ADJUDGE_BINARY("atan2", atan2(a, b));
		s.binary["max"] = [](const T &a, const T &b) -> T { return std::max(a, b); };
		s.binary["min"] = [](const T &a, const T &b) -> T { return std::min(a, b); };
	}
};

int main()
{
	std::string version = BOOST_LIB_VERSION; /* 1_74 */
	std::replace(version.begin(), version.end(), '_', '.');
	return adjudge::serve_levels<Engine>("boost.math autodiff", version.c_str(), "\"weak_zero\":true,");
}
