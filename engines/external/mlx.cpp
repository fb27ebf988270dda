/* mlx.cpp: MLX behind adjudge's protocol, on the CPU: mlx [MODE].  Build: g++ -O1 -std=c++20 mlx.cpp -lmlx -lopenblas -llapack -lcjson -o mlx */
/*
 * Modes: f32, the default, has no other float dtype.  native has all dtypes; exp, sin and others of an f64 are only as
 * accurate as of an f32.  vmap has batches, in f32.
 */
#include <mlx/version.h>

#include <cinttypes>
#include <cstdio>

#include "mlx_ops.hpp"

using Function = std::function<Arrays(const Arrays &)>;

/* ---- values and programs ---- */

static mx::array zeros(const Binding &b)
{
	return mx::zeros(shape_of(b.shape), dtypes.at(b.dtype));
}

template <class T> static void put_data(std::string &out, const mx::array &x, const char *format)
{
	char text[64];
	for (size_t k = 0; k < x.size(); k++) {
		std::snprintf(text, sizeof text, format, x.data<T>()[k]);
		out += (k ? "," : "") + std::string(text);
	}
}

/* In the type that it has, even if that is not the expected one. */
static void put_tensor(std::string &out, const mx::array &given)
{
	mx::array x = mx::contiguous(given);
	std::string dtype;
	for (const auto &row : dtypes)
		if (row.second == x.dtype())
			dtype = row.first;
	out += "{\"type\":\"" + dtype + "[";
	for (int d = 0; d < static_cast<int>(x.ndim()); d++)
		out += (d ? "," : "") + std::to_string(x.shape(d));
	out += "]\",\"data\":[";
	if (x.dtype() == mx::bool_ || x.dtype() == mx::int32)
		x = mx::astype(x, mx::int64);
	if (dtype == "f32" || dtype == "f16" || dtype == "bf16")
		x = mx::astype(x, mx::float64);
	mx::eval(x);
	if (dtype == "bool")
		for (size_t k = 0; k < x.size(); k++)
			out += std::string(k ? "," : "") + (x.data<int64_t>()[k] ? "true" : "false");
	else if (x.dtype() == mx::int64)
		put_data<int64_t>(out, x, "\"%" PRId64 "\"");
	else if (x.dtype() == mx::float64)
		put_data<double>(out, x, "\"%a\"");
	else
		throw std::runtime_error("an array of a dtype that the program has not");
	out += "]}";
}

static void put_list(std::string &out, const char *key, const Arrays &list)
{
	out += std::string("\"") + key + "\":[";
	for (size_t k = 0; k < list.size(); k++) {
		out += k ? "," : "";
		put_tensor(out, list[k]);
	}
	out += "]";
}

static Arrays run(const Program &p, const Arrays &inputs)
{
	std::vector<std::optional<mx::array>> v(p.value.size());
	std::copy(inputs.begin(), inputs.end(), v.begin());
	for (const Node &n : p.nodes) {
		auto rule = rules.find(n.op);
		if (rule == rules.end())
			throw Unsupported("op " + n.op);
		v[n.out] = rule->second(Call{p, n, v});
	}
	Arrays out;
	for (int r : p.results)
		out.push_back(*v[r]);
	return out;
}

/* ---- transforms ---- */

/* A function and the types of its inputs and outputs. */
struct Level {
	Function f;
	std::vector<Binding> in, out;
};

static Binding batched(Binding b, int size)
{
	b.shape.insert(b.shape.begin(), size);
	return b;
}

static std::vector<int> floats_of(const std::vector<Binding> &types)
{
	std::vector<int> at;
	for (size_t k = 0; k < types.size(); k++)
		if (types[k].is_float())
			at.push_back(static_cast<int>(k));
	return at;
}

static Arrays tensors(const cJSON *list, const std::vector<Binding> &types)
{
	Arrays out;
	const cJSON *x = list->child;
	for (size_t k = 0; k < types.size(); k++, x = x->next)
		out.push_back(tensor(x, types[k]));
	return out;
}

/* The level below as a function of the inputs in `wrt`, with only its float outputs. */
static Function restricted(const Level &below, const std::vector<int> &wrt, const Arrays &xs)
{
	return [=](const Arrays &some) {
		Arrays full = xs, floats;
		for (size_t k = 0; k < wrt.size(); k++)
			full[wrt[k]] = some[k];
		Arrays all = below.f(full);
		for (int k : floats_of(below.out))
			floats.push_back(all[k]);
		return floats;
	};
}

static Arrays taken(const Arrays &from, const std::vector<int> &at)
{
	Arrays out;
	for (int k : at)
		out.push_back(from[k]);
	return out;
}

/* Puts `some` at their places among zeros of all types. */
static Arrays among_zeros(const std::vector<Binding> &types, const std::vector<int> &at, const Arrays &some)
{
	Arrays out;
	for (const Binding &b : types)
		out.push_back(zeros(b));
	for (size_t k = 0; k < at.size(); k++)
		out[at[k]] = some[k];
	return out;
}

/*
	 * A jvp differentiates integers and bool too if its wrt has them, with tangents of zeros.  A vjp is requested only
	 * for floats.
	 */
static Level apply(const Level &below, const cJSON *json)
{
	std::string transform = cJSON_GetObjectItemCaseSensitive(json, "transform")->valuestring;
	std::vector<int> wrt = adjudge::ints(json, "wrt"), results = floats_of(below.out);
	std::vector<Binding> types;
	for (int k : wrt)
		types.push_back(below.in[k]);
	if (transform == "batch") {
		int size = cJSON_GetObjectItemCaseSensitive(json, "size")->valueint;
		Level level = below;
		std::vector<int> axes(below.in.size(), -1);
		for (int k : wrt) {
			level.in[k] = batched(below.in[k], size);
			axes[k] = 0;
		}
		for (Binding &b : level.out)
			b = batched(b, size);
		level.f = [=](const Arrays &xs) { return mx::vmap(below.f, axes, std::vector<int>(below.out.size(), 0))(xs); };
		return level;
	}
	bool forward = transform == "jvp";
	Arrays seeds = tensors(cJSON_GetObjectItemCaseSensitive(json, forward ? "tangents" : "cotangents"), forward ? types : below.out);
	std::vector<int> places = floats_of(types), active;
	for (int k : places)
		active.push_back(wrt[k]);
	bool some = !active.empty() && !results.empty();
	if (forward)
		return {[=](const Arrays &xs) {
				Arrays d = some ? mx::jvp(restricted(below, wrt, xs), taken(xs, wrt), seeds).second : Arrays{};
				return among_zeros(below.out, some ? results : std::vector<int>{}, d);
			}, below.in, below.out};
	return {[=](const Arrays &xs) {
			Arrays d = some ? mx::vjp(restricted(below, active, xs), taken(xs, active), taken(seeds, results)).second : Arrays{};
			return among_zeros(types, some ? places : std::vector<int>{}, d);
		}, below.in, types};
}

static std::string answer(const cJSON *c, const cJSON *point)
{
	Program p(c);
	Level level{[&p](const Arrays &xs) { return run(p, xs); }, {p.value.begin(), p.value.begin() + p.n_input}, {}};
	for (int r : p.results)
		level.out.push_back(p.value[r]);
	Level primal = level;
	const cJSON *request = cJSON_GetObjectItemCaseSensitive(c, "request");
	bool derivative = false;
	for (const cJSON *json = request->child; json; json = json->next) {
		bool batch = !std::strcmp(cJSON_GetObjectItemCaseSensitive(json, "transform")->valuestring, "batch");
		level = apply(level, json);
		primal = batch ? apply(primal, json) : primal;
		derivative = derivative || !batch;
	}
	Arrays xs = tensors(point, level.in);
	std::string text = "{\"status\":\"ok\",";
	try {
		Arrays d = derivative ? level.f(xs) : Arrays{};
		put_list(text, "primal", primal.f(xs));
		text += ",";
		put_list(text, "derivative", d);
	} catch (const std::exception &e) {
		if (std::strstr(e.what(), "mplement") || std::strstr(e.what(), "NYI") || std::strstr(e.what(), "upported") || std::strstr(e.what(), "Cannot calculate"))
			throw Unsupported(e.what());
		throw;
	}
	return text + "}";
}

int main(int argc, char **argv)
{
	std::string mode = argc > 1 ? argv[1] : "f32";
	bool vmap = mode == "vmap", native = mode == "native";
	std::string ops, requests, batches = "[\"batch\"]";
	const char *one[] = {"\"jvp\"", "\"vjp\""};
	for (const auto &row : rules)
		ops += (ops.empty() ? "\"" : ",\"") + row.first + "\"";
	for (const std::string a : one) {
		requests += (requests.empty() ? "[" : ",[") + a + "]";
		batches += ",[\"batch\"," + a + "],[" + a + ",\"batch\"]";
		for (const std::string b : one) {
			requests += ",[" + a + "," + b + "]";
			batches += ",[\"batch\"," + a + "," + b + "],[" + a + "," + b + ",\"batch\"]";
		}
	}
	if (!vmap && !native && mode != "f32") {
		std::fprintf(stderr, "no mode %s; there are f32, native, vmap\n", mode.c_str());
		return 2;
	}
	mx::set_default_device(mx::Device::cpu);
	return adjudge::answer_lines("\"name\":\"mlx." + mode + "\",\"version\":\"" + mx::version() + "\",\"requests\":[" + (vmap ? batches : requests) +
					 "]," + (native ? "" : "\"dtypes\":[\"f32\",\"i64\",\"i32\",\"bool\"],") + "\"unroll\":true,\"weak_zero\":true,\"cases_per_request\":16,\"ops\":[" + ops + "]",
	    answer);
}
