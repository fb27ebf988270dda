/* Build: clang++ -std=c++17 FILE -fplugin=$CLAD/clad.so -I$CLAD/include */
#include <cmath>
#include <cstdio>
#include "clad/Differentiator/Differentiator.h"

double f(double x, double y) { return std::fmod(x, y); }

int main()
{
    double dx = 0, got = 0, right = 2;
    clad::gradient(f).execute(5.5, -2, &dx, &got);
    std::printf("derivative of fmod(5.5, y) at y = -2: expected %.17g, returned %.17g\n", right, got);
    return got == right ? 0 : 1;
}
