/* Build: clang++ -std=c++17 FILE -fplugin=$CLAD/clad.so -I$CLAD/include */
#include "clad/Differentiator/Differentiator.h"

double f(double x) { return x + x; }

int main()
{
    double got = 0;
    clad::gradient(f).execute(0.5, &got);
    return got == 2 ? 0 : 1;
}
