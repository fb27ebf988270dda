#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#include <unistd.h>

namespace judged
{
struct Right { double value, error; };
struct Output { std::string dtype; std::vector<int> shape; std::vector<std::vector<Right>> rows; }; // for each number what is right, with the largest error
extern struct Points { std::vector<std::vector<Output>> primal, derivative; } points;
int wrong;

int begin(void (*ask)())
{
	for (int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGALRM})
		std::signal(signal, [](int) { std::puts("WRONG: a crash, an exception, or no answer in a minute"), std::fflush(stdout), std::_Exit(1); });
	alarm(60);
	ask();
	return wrong > 0;
}
} // namespace judged

void judge(const std::string &kind, const std::vector<std::vector<double>> &results)
{
	auto &points = kind == "primal" ? judged::points.primal : judged::points.derivative;
	for (size_t k = 0; k < results.size(); k++)
		for (size_t i = 0; i < results[k].size(); i++) {
			const double r = results[k][i];
			bool right = false;
			for (auto [value, error] : points.front()[k].rows[i])
				right |= r == value || std::fabs(r - value) <= error || (std::isnan(r) && std::isnan(value));
			std::printf("%s %zu[%zu], double: expected %.17g, returned %.17g%s\n", kind.c_str(), k, i, points.front()[k].rows[i][0].value, r, right ? "" : ": WRONG");
			judged::wrong += !right;
		}
	points.erase(points.begin());
}

