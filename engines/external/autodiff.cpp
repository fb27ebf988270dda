/* autodiff.cpp: autodiff behind adjudge's protocol.  Build: g++ -O1 -std=c++17 -I/usr/include/eigen3 -I$AUTODIFF -DENGINE_VERSION='"1.1.0"' autodiff.cpp -lcjson -o autodiff */
#include <autodiff/forward/dual.hpp>
#include <autodiff/reverse/var.hpp>

#include "overload.hpp"

using adjudge::List;
using adjudge::Stack;

struct Jvp : adjudge::Forwards {
	template <class T> using Number = autodiff::detail::Dual<T, T>;
	template <class T> static Number<T> variable(const T &value, const T &tangent)
	{
		Number<T> x;
		x.val = value;
		x.grad = tangent;
		return x;
	}
	template <class T> static Number<T> constant(const T &value) { return variable(value, T(0.0)); }
	template <class T> static T value(const Number<T> &x) { return x.val; }
	template <class T> static T tangent(const Number<T> &x) { return x.grad; }
};

/* The gradient of a var can be doubles or vars of the same tree. */
struct Vjp : adjudge::Backwards {
	template <class T> using Number = autodiff::var;
	template <class T> static Number<T> constant(const T &value) { return Number<T>(value); }
	template <class T> static T value(const Number<T> &x)
	{
		if constexpr (std::is_same_v<T, double>)
			return x.expr->val;
		else
			return x;
	}
	template <class T> struct Tape {
		using Numbers = std::vector<Number<T>>;
		Number<T> variable(const T &value) { return Number<T>(value); }
		std::vector<T> sweep(const Numbers &variables, Numbers &results, const std::vector<T> &cotangents)
		{
			std::vector<T> out(variables.size(), T(0.0));
			for (size_t k = 0; k < variables.size(); k++)
				bind(variables[k], &out[k]);
			for (size_t k = 0; k < results.size(); k++) {
				if constexpr (std::is_same_v<T, double>)
					results[k].expr->propagate(cotangents[k]);
				else
					results[k].expr->propagatex(cotangents[k].expr);
			}
			for (const Number<T> &x : variables)
				bind(x, static_cast<T *>(nullptr));
			return out;
		}
		static void bind(const Number<T> &x, double *to) { x.expr->bind_value(to); }
		static void bind(const Number<T> &x, autodiff::var *to) { x.expr->bind_expr(to ? &to->expr : nullptr); }
	};
};

struct Dual {
	using Stacks = List<Stack<Jvp>, Stack<Jvp, Jvp>, Stack<Jvp, Jvp, Jvp>>;
	template <class T> static void scalars(adjudge::Scalars<T> &s)
	{
		adjudge::usual(s);
		ADJUDGE_UNARY("atan", atan(a)); ADJUDGE_UNARY("erf", erf(a));
		ADJUDGE_BINARY("pow", pow(a, b)); ADJUDGE_BINARY("atan2", atan2(a, b)); ADJUDGE_BINARY("max", max(a, b)); ADJUDGE_BINARY("min", min(a, b));
	}
};
struct Var {
	using Stacks = List<Stack<Vjp>, Stack<Vjp, Vjp>>;
	template <class T> static void scalars(adjudge::Scalars<T> &s)
	{
		adjudge::usual(s);
		ADJUDGE_UNARY("atan", atan(a)); ADJUDGE_UNARY("erf", erf(a));
		ADJUDGE_BINARY("pow", pow(a, b)); ADJUDGE_BINARY("atan2", atan2(a, b));
		ADJUDGE_BINARY("max", condition(a > b, a, b)); ADJUDGE_BINARY("min", condition(a < b, a, b));
	}
};

int main(int n, char **argument)
{
	std::string mode = n > 1 ? argument[1] : "dual", name = "autodiff " + mode;
	const char *declares = "\"weak_zero\":true,";
	return mode == "dual" ? adjudge::serve_levels<Dual>(name.c_str(), ENGINE_VERSION, declares) :
	    mode == "var"     ? adjudge::serve_levels<Var>(name.c_str(), ENGINE_VERSION, declares) :
				2;
}
