/*
 * number_type.cpp: put your own number type behind adjudge's protocol, by a copy of this file.  See ../PROTOCOL.md.
 * Build: g++ -O1 -std=c++17 number_type.cpp -lcjson -o number_type
 *
 * Replace Dual by your type, say in Jvp how to make and read one, and list its functions.
 */
#include "overload.hpp"

/* A value and a tangent, over double or over another Dual. */
template <class T> struct Dual {
	T v, d;

	Dual(double x = 0.0) : v(x), d(0.0) {}
	Dual(const T &value, const T &tangent) : v(value), d(tangent) {}
};

template <class T> Dual<T> operator-(const Dual<T> &a) { return {-a.v, -a.d}; }
template <class T> Dual<T> operator+(const Dual<T> &a, const Dual<T> &b) { return {a.v + b.v, a.d + b.d}; }
template <class T> Dual<T> operator-(const Dual<T> &a, const Dual<T> &b) { return {a.v - b.v, a.d - b.d}; }
template <class T> Dual<T> operator*(const Dual<T> &a, const Dual<T> &b) { return {a.v * b.v, a.d * b.v + a.v * b.d}; }
template <class T> Dual<T> operator*(const Dual<T> &a, double b) { return {a.v * b, a.d * b}; }
template <class T> bool operator<(const Dual<T> &a, const Dual<T> &b) { return a.v < b.v; }

using std::cos;
using std::exp;
using std::sin;
template <class T> Dual<T> exp(const Dual<T> &a)
{
	T y = exp(a.v);
	return {y, y * a.d};
}
template <class T> Dual<T> cos(const Dual<T> &a);
template <class T> Dual<T> sin(const Dual<T> &a) { return {sin(a.v), cos(a.v) * a.d}; }
template <class T> Dual<T> cos(const Dual<T> &a) { return {cos(a.v), -sin(a.v) * a.d}; }

/* How adjudge makes numbers and reads them.  A constant has no tangent. */
struct Jvp : adjudge::Forwards {
	template <class T> using Number = Dual<T>;
	template <class T> static Number<T> constant(const T &value) { return {value, T(0.0)}; }
	template <class T> static Number<T> variable(const T &value, const T &tangent) { return {value, tangent}; }
	template <class T> static T value(const Number<T> &x) { return x.v; }
	template <class T> static T tangent(const Number<T> &x) { return x.d; }
};

/* Dual alone, and Dual over Dual for second derivatives.  An op that is not listed is not asked for. */
struct Engine {
	using Stacks = adjudge::List<adjudge::Stack<Jvp>, adjudge::Stack<Jvp, Jvp>>;
	template <class T> static void scalars(adjudge::Scalars<T> &s)
	{
		ADJUDGE_UNARY("neg", -a);
		ADJUDGE_UNARY("exp", exp(a));
		ADJUDGE_UNARY("sin", sin(a));
		ADJUDGE_UNARY("cos", cos(a));
		ADJUDGE_BINARY("add", a + b);
		ADJUDGE_BINARY("sub", a - b);
		ADJUDGE_BINARY("mul", a * b);
		ADJUDGE_BINARY("max", a < b ? b : a);
		ADJUDGE_BINARY("min", b < a ? b : a);
	}
};

/* weak_zero: 0 times infinity is NaN here, as in most such types. */
int main() { return adjudge::serve_levels<Engine>("my number type", "1", "\"weak_zero\":true,"); }
