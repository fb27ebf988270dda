/* Build: clang++ -std=c++17 FILE -fplugin=$CLAD/clad.so -I$CLAD/include */
#include <cstdio>
#include "clad/Differentiator/Differentiator.h"

double product(double a, double b) { return a * b; }
double inner(double x) { return product(x, 5); }
double outer(double x) { return 2 * inner(x); }

int main()
{
    double got = 0, right = 10;
    clad::gradient(outer).execute(2, &got);
    std::printf("derivative of 10 x: expected %.17g, returned %.17g\n", right, got);
    return got == right ? 0 : 1;
}
