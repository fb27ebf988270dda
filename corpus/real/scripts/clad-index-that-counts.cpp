/* Build: clang++ -std=c++17 FILE -fplugin=$CLAD/clad.so -I$CLAD/include */
#include <cstdio>
#include "clad/Differentiator/Differentiator.h"

double f(double x)
{
    double a[4] = {x, 2 * x, 40 * x, 50 * x}, y[2];
    int n = 0;
    for (int i = 0; i < 2; i++)
        y[i] = a[n++];
    return y[0] + y[1];
}

int main()
{
    const double got = clad::differentiate(f, 0).execute(0.5), right = 3;
    std::printf("derivative of 3 x: expected %.17g, returned %.17g\n", right, got);
    return got == right ? 0 : 1;
}
