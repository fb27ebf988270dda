#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include <unistd.h>

// Returned numbers beside expected ones.  Exit status: 0 all agree, 1 some number is wrong, 125 it cannot be said.
namespace judged
{
int numbers, many_wrong, unclear;
std::vector<bool> followed; // the conventions that all numbers of a tie follow
double sum;                 // of these numbers

struct Choice {
	double value, rest, radius; // rest: its lower digits
};

// choices: of each convention at a tie.  low, high: the interval of their mixtures, if they differ.
struct Row {
	const char *expected, *allowed;
	bool accepts_nan;
	std::vector<Choice> choices;
	double low = INFINITY, high = -INFINITY;
};

struct Output {
	const char *name;
	bool is_float;
	std::vector<Row> rows;
};

struct Points {
	std::vector<std::vector<Output>> primal, derivative;
};

extern const char *const asked;
extern Points points;
extern std::vector<std::vector<double>> sums;

void wrong(const std::string &text)
{
	many_wrong++;
	std::printf("%s: WRONG\n", text.c_str());
}

void compare(const Output &output, const std::vector<double> &returned)
{
	if (returned.size() != output.rows.size())
		wrong(std::string(output.name) + ": expected " + std::to_string(output.rows.size()) + " numbers, returned " + std::to_string(returned.size()));
	for (size_t k = 0; k < returned.size() && k < output.rows.size(); k++) {
		const Row &row = output.rows[k];
		const double r = returned[k];
		std::vector<bool> fits;
		bool any = false;
		for (const Choice &c : row.choices) {
			const bool near = std::isinf(c.radius) || std::fabs(r - c.value - c.rest) <= c.radius || (std::isinf(r) && r == c.value);
			fits.push_back(std::isnan(r) ? row.accepts_nan : near);
			any |= fits.back();
		}
		const std::string element = output.rows.size() > 1 ? ", element " + std::to_string(k) : "";
		char line[400];
		std::snprintf(line, sizeof line, "%s%s: expected %s, returned %.17g, allowed %s", output.name, element.c_str(), row.expected, r, row.allowed);
		if (!any && !(row.low <= r && r <= row.high)) {
			wrong(line);
			continue;
		}
		std::puts(line);
		numbers += !std::isinf(row.choices[0].radius) && std::strstr(output.name, asked);
		if (row.choices.size() > 1 || row.low <= row.high) {
			sum += r;
			for (size_t i = 0; i < fits.size() && i < followed.size(); i++)
				fits[i] = fits[i] && followed[i];
			followed = fits;
		}
	}
}

// The sum of all numbers at a tie is in this range, whatever mixture of conventions they follow.
void conclude(double least, double most)
{
	bool none = !followed.empty();
	for (bool one : followed)
		none &= !one;
	if (none && (sum < least || sum > most)) {
		wrong("sum of the shares at a tie: expected " + std::to_string(least) + " to " + std::to_string(most) + ", returned " + std::to_string(sum));
	} else if (none) {
		unclear++;
		std::puts("no convention explains all numbers of this tie, but a mixture of them may");
	}
	followed.clear();
	sum = 0;
}

// A crash, an exception that nobody catches, and no answer in a minute are wrong.
void stop(int)
{
	static const char text[] = "the engine crashed, threw an exception or took a minute: WRONG\n";
	std::fflush(stdout);
	const ssize_t written = write(1, text, sizeof text - 1);
	_exit(written ? 1 : 1);
}

int begin(void (*ask)())
{
	for (int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGALRM})
		std::signal(signal, stop);
	alarm(60);
	ask();
	const bool open = unclear || !numbers || !points.primal.empty() || !points.derivative.empty();
	std::printf("%d numbers of the %s agree, %d wrong%s\n", numbers, asked, many_wrong, open ? ", not all could be judged" : "");
	return many_wrong ? 1 : open ? 125 : 0;
}
} // namespace judged

// The source calls this with all floats of the primal, or of the derivative, point by point: the elements of each.
void judge(const std::string &kind, const std::vector<std::vector<double>> &results)
{
	auto &points = kind == "primal" ? judged::points.primal : judged::points.derivative;
	std::vector<judged::Output> wanted;
	for (const judged::Output &output : points.front())
		if (output.is_float)
			wanted.push_back(output);
	points.erase(points.begin());
	for (size_t k = 0; k < wanted.size(); k++)
		judged::compare(wanted[k], results.at(k));
	if (kind == "derivative") {
		judged::conclude(judged::sums[0][0], judged::sums[0][1]);
		judged::sums.erase(judged::sums.begin());
	}
	judged::followed.clear();
}

