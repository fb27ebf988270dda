/* Build: g++ -std=c++17 FILE -I$CODIPACK/include */
#include <codi.hpp>

using Inner = codi::RealReverse;
using T = codi::RealReverseGen<Inner>;

int main()
{
    Inner a = 0;
    Inner::getTape().setActive();
    Inner::getTape().registerInput(a);
    T x = a, y;
    T::getTape().setActive();
    T::getTape().registerInput(x);
    y = x * x;
    y.gradient() = 1;
    T::getTape().evaluate();
    x.gradient().gradient() = 1;
    Inner::getTape().evaluate();
    std::cout << "second derivative of x * x at 0: expected 2, returned " << a.getGradient() << "\n";
    return a.getGradient() == 2 ? 0 : 1;
}
