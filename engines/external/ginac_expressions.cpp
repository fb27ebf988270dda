/* ginac_expressions.cpp: GiNaC behind adjudge's protocol.  Build: g++ -O1 -std=c++17 ginac_expressions.cpp -lginac -lcln -lcjson -o ginac_expressions */
/* A number is an expression of symbols.  Derivatives come from diff(), and numbers from subs() with 720 digits, so that an
 * answer is the exact value of GiNaC's formula.  Where a formula has no real value the answer is NaN. */
#include <cln/cln.h>
#include <ginac/ginac.h>

#include "overload.hpp"

using GiNaC::ex;

/* CLN has no subnormal numbers, no infinite ones and no -0: an exact number is an integer times a power of 2. */
static GiNaC::numeric power_of_2(int exponent) { return GiNaC::numeric(2).power(exponent); }

static GiNaC::numeric exact(double x)
{
	int exponent = 0;
	if (!std::isfinite(x) || (x == 0 && std::signbit(x)))
		throw adjudge::Unsupported("a number that is not finite, or -0");
	double mantissa = std::ldexp(std::frexp(x, &exponent), 53);
	return GiNaC::numeric(static_cast<long>(mantissa)) * power_of_2(exponent - 53);
}

/* Constants have 720 digits, as exact ones would double theirs in every square. */
template <> ex adjudge::literal<ex>(double x) { return exact(x).evalf(); }

/* An exponent, exact where it is an integer: x^3.0 is exp(3.0 log x) in GiNaC. */
static ex whole(const ex &e)
{
	double x = GiNaC::is_a<GiNaC::numeric>(e) && GiNaC::ex_to<GiNaC::numeric>(e).is_real() ? GiNaC::ex_to<GiNaC::numeric>(e).to_double() : 0.5;
	return x == std::floor(x) && std::isfinite(x) && e.is_equal(exact(x).evalf()) ? ex(exact(x)) : e;
}

struct Ginac {
	static constexpr int digits = 720; /* 1 + x is exact for every double x */

	/* The nodes of an expression, up to a limit. */
	static long nodes(const ex &e, long limit)
	{
		long n = 1;
		for (size_t k = 0; k < e.nops() && n <= limit; k++)
			n += nodes(e.op(k), limit - n);
		return n;
	}
	/* GiNaC walks an expression as a tree, also where its parts are shared: 40 squares of a sum take forever. */
	static const ex &small(const ex &e, long limit = 500)
	{
		if (nodes(e, limit) > limit)
			throw adjudge::Unsupported("an expression of so many nodes");
		return e;
	}
	template <class T> static void scalars(adjudge::Scalars<T> &s)
	{
		ADJUDGE_UNARY("neg", -a); ADJUDGE_UNARY("abs", abs(a)); ADJUDGE_UNARY("sign", csgn(a)); ADJUDGE_UNARY("square", pow(a, 2));
		ADJUDGE_UNARY("sqrt", sqrt(a)); ADJUDGE_UNARY("rsqrt", 1 / sqrt(a)); ADJUDGE_UNARY("exp", exp(a)); ADJUDGE_UNARY("log", log(a));
		ADJUDGE_UNARY("sin", sin(a)); ADJUDGE_UNARY("cos", cos(a)); ADJUDGE_UNARY("tan", tan(a)); ADJUDGE_UNARY("asin", asin(a));
		ADJUDGE_UNARY("acos", acos(a)); ADJUDGE_UNARY("atan", atan(a)); ADJUDGE_UNARY("sinh", sinh(a)); ADJUDGE_UNARY("cosh", cosh(a));
		ADJUDGE_UNARY("tanh", tanh(a)); ADJUDGE_UNARY("asinh", asinh(a)); ADJUDGE_UNARY("acosh", acosh(a)); ADJUDGE_UNARY("atanh", atanh(a));
#define BINARY(name, call) s.binary[name] = [](const T &a, const T &b) -> T { return call; }
		BINARY("add", a + b); BINARY("sub", a - b); BINARY("mul", a * b); BINARY("div", a / b); BINARY("pow", pow(a, b)); BINARY("atan2", atan2(a, b));
#undef BINARY
		for (auto &row : s.unary)
			row.second = [f = row.second](const T &a) { return small(f(a)); };
		for (auto &row : s.binary)
			row.second = [f = row.second, power = row.first == "pow"](const T &a, const T &b) { return small(f(a, power ? whole(b) : b)); };
	}
	static std::vector<ex> derivative(const adjudge::Level &level, const std::vector<ex> &y, const std::vector<GiNaC::realsymbol> &x)
	{
		std::vector<ex> out;
		long left = 2000;
		auto part = [&](double seed, const ex &of, const GiNaC::realsymbol &by) {
			ex out = seed == 0 ? ex(0) : adjudge::literal<ex>(seed) * of.diff(by);
			left -= nodes(small(out, left), left);
			return out;
		};
		if (level.transform == adjudge::Forwards::name) {
			for (const ex &of : y) {
				out.emplace_back(0);
				for (size_t k = 0; k < x.size(); k++)
					out.back() += part(level.seed[k], of, x[k]);
			}
		} else {
			for (size_t k = 0; k < x.size(); k++) {
				if (!level.wanted[k])
					continue;
				out.emplace_back(0);
				for (size_t i = 0; i < y.size(); i++)
					out.back() += part(level.seed[i], y[i], x[k]);
			}
		}
		return out;
	}
	static double rounded(const ex &e)
	{
		if (!GiNaC::is_a<GiNaC::numeric>(e))
			return NAN;
		GiNaC::numeric v = GiNaC::ex_to<GiNaC::numeric>(e);
		/* (-2.0)^(-2.0) is exp(-2.0 log -2.0), and real but for the last digits. */
		if (!v.is_real() && abs(v.imag()) > abs(v.real()) * power_of_2(-2300))
			return NAN;
		v = v.real();
		return abs(v) < power_of_2(-1000) ? std::ldexp((v * power_of_2(1074)).to_double(), -1074) : v.to_double();
	}
	static std::vector<double> values(const std::vector<ex> &list, const GiNaC::exmap &at)
	{
		std::vector<double> out;
		for (const ex &e : list)
			try {
				out.push_back(rounded(e.subs(at).evalf()));
			} catch (const GiNaC::pole_error &) { /* 1/0, log 0 */
				out.push_back(NAN);
			} catch (const std::domain_error &e) { /* 0^0, which GiNaC leaves undefined */
				throw adjudge::Unsupported(e.what());
			} catch (const std::exception &) {
				out.push_back(NAN);
			}
		return out;
	}
	static std::string answer(const cJSON *c, const cJSON *point)
	{
		adjudge::Program p(c);
		adjudge::Question q(p, cJSON_GetObjectItemCaseSensitive(c, "request"));
		std::vector<double> at = adjudge::flat_point(p, point);
		std::vector<adjudge::Binding> results;
		std::vector<GiNaC::realsymbol> x;
		std::vector<std::vector<ex>> in;
		std::vector<ex> y, d;
		GiNaC::exmap numbers;
		std::string text = "{\"status\":\"ok\",";
		for (double one : at) {
			x.emplace_back();
			numbers[x.back()] = exact(one).evalf();
		}
		for (int k = 0, i = 0; k < p.n_input; k++)
			for (in.emplace_back(); in.back().size() < adjudge::elements(p.value[k].shape);)
				in.back().push_back(x[i++]);
		try {
			for (const std::vector<ex> &result : adjudge::Interpreter<ex>(p, adjudge::scalars_of<Ginac, ex>()).run(in))
				y.insert(y.end(), result.begin(), result.end());
		} catch (const std::domain_error &e) { /* 1/0, 0^0, log 0: GiNaC has no such constant */
			throw adjudge::Unsupported(e.what());
		} catch (const std::overflow_error &e) {
			throw adjudge::Unsupported(e.what());
		}
		d = y;
		for (const adjudge::Level &level : q.levels)
			d = derivative(level, d, x);
		for (int r : p.results)
			results.push_back(p.value[r]);
		adjudge::put_list(text, "primal", results, adjudge::Question::all(results), values(y, numbers));
		text += ",";
		if (q.levels.empty())
			return text + "\"derivative\":[]}";
		adjudge::put_list(text, "derivative", q.outputs, adjudge::Question::all(q.outputs), values(d, numbers));
		return text + "}";
	}
};

int main()
{
	cln::cl_inhibit_floating_point_underflow = true;
	GiNaC::Digits = Ginac::digits;
	const char *requests = "[[\"jvp\"],[\"vjp\"],[\"jvp\",\"jvp\"],[\"jvp\",\"vjp\"],[\"vjp\",\"jvp\"],[\"vjp\",\"vjp\"]]";
	std::string version = std::to_string(GiNaC::version_major) + "." + std::to_string(GiNaC::version_minor) + "." + std::to_string(GiNaC::version_micro);
	return adjudge::answer_lines(
	    adjudge::hello("ginac", version, requests, adjudge::scalars_of<Ginac, ex>(), "\"weak_zero\":true,\"finite_math\":true,\"timeout_ms\":60000,"), Ginac::answer);
}
