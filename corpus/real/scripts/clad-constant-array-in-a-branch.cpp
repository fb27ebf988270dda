/* Build: clang++ -std=c++17 FILE -fplugin=$CLAD/clad.so -I$CLAD/include */
#include <cstdio>
#include "clad/Differentiator/Differentiator.h"

double f(double x, int p)
{
    double y = x;
    if (p) {
        const double a[2] = {3, 4};
        y = a[1] * x;
    }
    return y;
}

int main()
{
    double got = 0, right = 4;
    clad::gradient(f, "x").execute(0.5, 1, &got);
    std::printf("derivative of 4 x: expected %.17g, returned %.17g\n", right, got);
    return got == right ? 0 : 1;
}
