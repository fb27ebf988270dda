/* Build: clang++ -std=c++17 FILE -fplugin=$CLAD/clad.so -I$CLAD/include */
#include <cstdio>
#include "clad/Differentiator/Differentiator.h"

double f(double x)
{
    const long n = (long)x;
    return (double)n;
}

int main()
{
    double got = 0, right = 0;
    clad::gradient(f).execute(2.5, &got);
    std::printf("derivative at 2.5: expected %.17g, returned %.17g\n", right, got);
    return got == right ? 0 : 1;
}
