/*
 * spellings.hpp: rows of a table of ops for C++ number types, and the spellings that every such type has.
 * See ../PROTOCOL.md.
 */
#pragma once

#include "scalar.hpp"

namespace adjudge
{

/* ---- rows of a table of ops, in a function scalars(Scalars<T> &s) ---- */

/* call: an expression of a, or of a and b. */
#define ADJUDGE_UNARY(name, call) s.unary[name] = [](const T &a) -> T { return T(call); }
#define ADJUDGE_BINARY(name, call) \
	adjudge::add_binary(s, name, [](const auto &a, const auto &b) -> decltype(T(call)) { return T(call); })
/* call: of x, a vector of elements. */
#define ADJUDGE_LINE(name, call) s.lines[name] = [](const std::vector<T> &x) -> T { return T(call); }
/* An assignment to a copy of a. */
#define ADJUDGE_ASSIGNED(name, sign) \
	adjudge::add_binary(s, name, \
	    [](const auto &a, const auto &b) -> std::conditional_t<false, decltype(std::declval<T &>() sign b), T> { \
		    T x = adjudge::number<T>(a); \
		    x sign b; \
		    return x; \
	    })

/* op with two numbers, and with a constant on either side, as far as the type has these overloads. */
template <class T, class F> void add_binary(Scalars<T> &s, const char *name, F op)
{
	if constexpr (std::is_invocable_v<F, const T &, const T &>)
		s.binary[name] = op;
	if constexpr (std::is_invocable_v<F, const T &, const double &>)
		s.constant_right[name] = op;
	if constexpr (std::is_invocable_v<F, const double &, const T &>)
		s.constant_left[name] = op;
}

template <class T, class A> T number(const A &a)
{
	if constexpr (std::is_same_v<A, double>)
		return literal<T>(a);
	else
		return T(a);
}

/* Each rounds as the op does, and has no choice at ties. */
template <class T> void spelled(Scalars<T> &s)
{
	ADJUDGE_ASSIGNED("add|+=", +=);
	ADJUDGE_ASSIGNED("sub|-=", -=);
	ADJUDGE_ASSIGNED("mul|*=", *=);
	ADJUDGE_ASSIGNED("div|/=", /=);
	ADJUDGE_BINARY("sub|a + -b", a + -b);
	ADJUDGE_UNARY("neg|0 - x", literal<T>(0.0) - a);
	ADJUDGE_UNARY("neg|-1 x", literal<T>(-1.0) * a);
}

/* What every such type has, under the names of C's library. */
template <class T> void usual(Scalars<T> &s)
{
	ADJUDGE_UNARY("neg", -a);
	ADJUDGE_UNARY("sqrt", sqrt(a));
	ADJUDGE_UNARY("rsqrt", literal<T>(1.0) / sqrt(a));
	ADJUDGE_UNARY("exp", exp(a));
	ADJUDGE_UNARY("log", log(a));
	ADJUDGE_UNARY("sin", sin(a));
	ADJUDGE_UNARY("cos", cos(a));
	ADJUDGE_UNARY("tan", tan(a));
	ADJUDGE_UNARY("asin", asin(a));
	ADJUDGE_UNARY("acos", acos(a));
	ADJUDGE_UNARY("sinh", sinh(a));
	ADJUDGE_UNARY("cosh", cosh(a));
	ADJUDGE_UNARY("tanh", tanh(a));
	ADJUDGE_UNARY("abs", abs(a));
	ADJUDGE_BINARY("add", a + b);
	ADJUDGE_BINARY("sub", a - b);
	ADJUDGE_BINARY("mul", a * b);
	ADJUDGE_BINARY("div", a / b);
	spelled(s);
}

} // namespace adjudge
