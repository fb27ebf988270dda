/* Build: clang++ -std=c++17 FILE -fplugin=$CLAD/clad.so -I$CLAD/include */
#include <cstdio>
#include "clad/Differentiator/Differentiator.h"

bool less(double a, double b) { return a < b; }

double f(double x)
{
    double y = x;
    for (int i = 0; i < 9 && less(y, 10); i++)
        y = y * x;
    return y;
}

int main()
{
    const double got = clad::differentiate(f, 0).execute(2), right = 32;
    std::printf("derivative of x^4 at 2: expected %.17g, returned %.17g\n", right, got);
    return got == right ? 0 : 1;
}
