#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

extern std::vector<std::vector<std::vector<double>>> right; // of each number what is right, and the largest error
int judged, wrong;

void judge(const std::string &kind, const std::vector<std::vector<double>> &results)
{
	for (auto &result : results)
		for (double r : result) {
			bool good = false;
			for (auto &one : right[judged])
				good |= r == one[0] || std::fabs(r - one[0]) <= one[1] || (std::isnan(r) && std::isnan(one[0]));
			std::printf("%s, double: expected %.17g, returned %.17g%s\n", kind.c_str(), right[judged++][0][0], r, good ? "" : ": WRONG");
			wrong += !good;
		}
}

