/* stan_math.cpp: Stan Math behind adjudge's protocol.  Build: g++ -O1 -std=c++17 -w -D_REENTRANT -DTBB_INTERFACE_NEW -DOMPI_SKIP_MPICXX -I/usr/include/stan-math -I/usr/include/eigen3 -I/usr/lib/x86_64-linux-gnu/openmpi/include stan_math.cpp -ltbb -lcjson -o stan_math */
#include <stan/math/mix.hpp>
#include <stan/math/version.hpp>

#include "overload.hpp"

using adjudge::List;
using adjudge::Stack;

struct Jvp : adjudge::Forwards {
	template <class T> using Number = stan::math::fvar<T>;
	template <class T> static Number<T> constant(const T &value) { return Number<T>(value); }
	template <class T> static Number<T> variable(const T &value, const T &tangent) { return Number<T>(value, tangent); }
	template <class T> static T value(const Number<T> &x) { return x.val(); }
	template <class T> static T tangent(const Number<T> &x) { return x.d_; }
};

struct Vjp : adjudge::Backwards {
	template <class T> using Number = stan::math::var_value<T>;
	template <class T> static Number<T> constant(const T &value) { return Number<T>(value); }
	template <class T> static T value(const Number<T> &x) { return x.val(); }
	template <class T> struct Tape {
		using Numbers = std::vector<Number<T>>;
		stan::math::nested_rev_autodiff nested;
		Number<T> variable(const T &value) { return Number<T>(value); }
		std::vector<T> sweep(const Numbers &variables, Numbers &results, const std::vector<T> &cotangents)
		{
			std::vector<T> out;
			for (size_t k = 0; k < results.size(); k++)
				results[k].adj() += cotangents[k]; /* two results may be one node */
			stan::math::grad();
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
		ADJUDGE_UNARY("expm1", expm1(a)); ADJUDGE_UNARY("log1p", log1p(a)); ADJUDGE_UNARY("erf", erf(a)); ADJUDGE_UNARY("logistic", inv_logit(a));
		ADJUDGE_UNARY("square", square(a)); ADJUDGE_UNARY("rsqrt|inv_sqrt", inv_sqrt(a)); ADJUDGE_UNARY("abs|fabs", fabs(a));
		ADJUDGE_UNARY("floor", floor(a)); ADJUDGE_UNARY("ceil", ceil(a)); ADJUDGE_UNARY("trunc", trunc(a));
		ADJUDGE_BINARY("pow", pow(a, b)); ADJUDGE_BINARY("atan2", atan2(a, b)); ADJUDGE_BINARY("max", fmax(a, b)); ADJUDGE_BINARY("min", fmin(a, b));
		ADJUDGE_LINE("logsumexp", log_sum_exp(x)); ADJUDGE_LINE("norm", norm2(stan::math::to_vector(x)));
		ADJUDGE_LINE("reduce_sum|sum", sum(x)); ADJUDGE_LINE("reduce_prod|prod", prod(x));
		for (auto &row : s.unary) /* outside of a domain some functions throw */
			row.second = [f = row.second](const T &a) -> T {
				try {
					return f(a);
				} catch (const std::domain_error &e) {
					throw adjudge::Unsupported(e.what());
				}
			};
	}
};

struct Forward : Ops {
	using Stacks = List<Stack<Jvp>, Stack<Jvp, Jvp>>;
};
struct Reverse : Ops {
	using Stacks = List<Stack<Vjp>, Stack<Vjp, Jvp>, Stack<Vjp, Jvp, Jvp>>;
};

int main(int n, char **argument)
{
	std::string mode = n > 1 ? argument[1] : "rev";
	std::string version = stan::math::MAJOR_VERSION + "." + stan::math::MINOR_VERSION + "." + stan::math::PATCH_VERSION;
	auto serve = [&](auto engine) {
		return adjudge::serve_levels<decltype(engine)>(("stan math " + mode).c_str(), version.c_str(), "\"weak_zero\":true,");
	};
	return mode == "rev" ? serve(Reverse()) : mode == "fwd" ? serve(Forward()) : 2;
}
