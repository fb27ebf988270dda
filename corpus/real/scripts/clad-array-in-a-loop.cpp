/* Build: clang++ -std=c++17 FILE -fplugin=$CLAD/clad.so -I$CLAD/include */
#include <cstdio>
#include "clad/Differentiator/Differentiator.h"

double f(double x)
{
    double y = x;
    for (int n = 0; n < 2; n++) {
        double c[1];
        c[0] = y;
        y = c[0] * x;
    }
    return y;
}

int main()
{
    double got = 0, right = 0.75;
    clad::gradient(f).execute(0.5, &got);
    std::printf("derivative of x^3 at 0.5: expected %.17g, returned %.17g\n", right, got);
    return got == right ? 0 : 1;
}
