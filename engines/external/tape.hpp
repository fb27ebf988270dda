/*
 * tape.hpp: C++ engines that record a tape and have drivers for its products.  See ../PROTOCOL.md.
 *
 * An adapter defines a tape and calls serve<Tape>().  The tape is a struct with a number type `Number`, record(program,
 * x), and the products of derivatives.
 */
#pragma once

#include "answer.hpp"

namespace adjudge
{

template <class Tape, class = void> struct HasSecond : std::false_type {
};
template <class Tape> struct HasSecond<Tape, std::void_t<decltype(&Tape::hessvec)>> : std::true_type {
};

/*
 * Tape has the type Number and these functions:
 *
 *    static void scalars(Scalars<Number> &)
 *    void record(const Program &, const std::vector<double> &point, std::vector<double> &y)
 *    jacvec(v) [m], vecjac(w) [n], and hessvec(w, v) [n], the gradient of w'f in direction v, for the last record
 *
 * Without hessvec it is asked for first derivatives alone.
 *
 * point, y: all inputs and all results, flattened; n: elements of active inputs.
 */
template <class Tape> std::string answer_point(const cJSON *c, const cJSON *point)
{
	Program p(c);
	std::vector<Binding> in, out;
	std::vector<int> outputs;
	std::vector<double> x, y;
	std::string text = "{\"status\":\"ok\",";
	std::vector<const cJSON *> level;
	for (const cJSON *v = cJSON_GetObjectItemCaseSensitive(c, "request")->child; v; v = v->next)
		level.push_back(v);
	for (int k = 0; k < p.n_input; k++) {
		bool wanted = level.empty();
		for (const cJSON *v : level)
			for (int i : ints(v, "wrt"))
				wanted |= i == k;
		if (wanted) {
			p.active.push_back(k);
			in.push_back(p.value[k]);
		}
	}
	for (int r : p.results) {
		outputs.push_back(static_cast<int>(out.size()));
		out.push_back(p.value[r]);
	}
	x = flat_point(p, point);
	Tape tape;
	tape.record(p, x, y);
	put_list(text, "primal", out, outputs, y);
	text += ",";
	auto jvp = [&](size_t k) {
		return !std::strcmp(cJSON_GetObjectItemCaseSensitive(level[k], "transform")->valuestring, "jvp");
	};
	auto wrt = [&](size_t k) {
		Shape at;
		for (int i : ints(level[k], "wrt"))
			at.push_back(
			    static_cast<int>(std::find(p.active.begin(), p.active.end(), i) - p.active.begin()));
		return at;
	};
	if (level.empty()) {
		text += "\"derivative\":[]";
	} else if (level.size() == 1 && jvp(0)) {
		put_list(text, "derivative", out, outputs, tape.jacvec(seeds(level[0], "tangents", in, wrt(0))));
	} else if (level.size() == 1) {
		put_list(text, "derivative", in, wrt(0), tape.vecjac(seeds(level[0], "cotangents", out, outputs)));
	} else if constexpr (!HasSecond<Tape>::value) {
		throw Unsupported("second derivatives");
	} else if (jvp(0) && jvp(1)) {
		/* the second derivative of each result, in both directions */
		std::vector<double> v = seeds(level[0], "tangents", in, wrt(0)),
		                    u = seeds(level[1], "tangents", in, wrt(1)), second(y.size(), 0.0);
		for (size_t i = 0; i < y.size(); i++) {
			std::vector<double> w(y.size(), 0.0);
			w[i] = 1;
			std::vector<double> h = tape.hessvec(w, v);
			for (size_t k = 0; k < h.size(); k++)
				second[i] += h[k] * u[k];
		}
		put_list(text, "derivative", out, outputs, second);
	} else {
		/* the gradient of w'f in one direction: the answer is at the places that are not the direction */
		std::vector<double> w = jvp(0) ? seeds(level[1], "cotangents", out, outputs)
		                               : seeds(level[0], "cotangents", out, outputs);
		std::vector<double> v = jvp(0) ? seeds(level[0], "tangents", in, wrt(0))
		    : jvp(1)                   ? seeds(level[1], "tangents", in, wrt(1))
		                               : seeds(level[1], "cotangents", in, wrt(0));
		put_list(text, "derivative", in, jvp(0) ? wrt(1) : jvp(1) ? wrt(0) : wrt(1), tape.hessvec(w, v));
	}
	return text + "}";
}

/* declares: more members of the hello, each followed by a comma. */
template <class Tape> int serve(const char *name, const char *version, const char *declares = "")
{
	Scalars<typename Tape::Number> scalars;
	Tape::scalars(scalars);
	const char *second = ",[\"jvp\",\"jvp\"],[\"jvp\",\"vjp\"],[\"vjp\",\"jvp\"],[\"vjp\",\"vjp\"]";
	std::string requests = "[[\"jvp\"],[\"vjp\"]" + std::string(HasSecond<Tape>::value ? second : "") + "]";
	return answer_lines(hello(name, version, requests, scalars, declares), answer_point<Tape>);
}

} // namespace adjudge
