/* eigen_autodiff.cpp: Eigen's AutoDiffScalar behind adjudge's protocol.  Build: g++ -O1 -std=c++17 -I/usr/include/eigen3 eigen_autodiff.cpp -lcjson -o eigen_autodiff */
#include <Eigen/Core>
#include <unsupported/Eigen/AutoDiff>

#include "overload.hpp"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

/* Two directions: that of the request is the second.  The first has a 1 for each variable, and must not matter.
 * A constant has no direction at all. */
struct Jvp : adjudge::Forwards {
	template <class T> using Number = Eigen::AutoDiffScalar<Eigen::Matrix<T, Eigen::Dynamic, 1>>;
	template <class T> static Number<T> constant(const T &value) { return Number<T>(value); }
	template <class T> static Number<T> variable(const T &value, const T &tangent)
	{
		Number<T> x(value, 2, 0);
		x.derivatives()[1] = tangent;
		return x;
	}
	template <class T> static T value(const Number<T> &x) { return x.value(); }
	template <class T> static T tangent(const Number<T> &x) { return x.derivatives().size() ? x.derivatives()[1] : T(0.0); }
};

struct Engine {
	using Stacks = adjudge::List<adjudge::Stack<Jvp>>;
	template <class T> static void scalars(adjudge::Scalars<T> &s)
	{
		adjudge::usual(s);
		ADJUDGE_BINARY("atan2", atan2(a, b)); ADJUDGE_BINARY("max", max(a, b)); ADJUDGE_BINARY("min", min(a, b));
		s.constant_right["pow"] = [](const T &a, double b) -> T { return pow(a, b); };
	}
};

int main()
{
	return adjudge::serve_levels<Engine>("eigen autodiff", TEXT(EIGEN_WORLD_VERSION) "." TEXT(EIGEN_MAJOR_VERSION) "." TEXT(EIGEN_MINOR_VERSION), "\"weak_zero\":true,");
}
