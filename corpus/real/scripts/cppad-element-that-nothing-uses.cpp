/* Build: g++ -std=c++17 FILE -lcppad_lib */
#include <cstdio>
#include <cppad/cppad.hpp>

int main()
{
    std::vector<CppAD::AD<double>> x = {0.5};
    CppAD::Independent(x);
    CppAD::VecAD<double> list(1);
    list[CppAD::AD<double>(0.0)] = x[0];
    const CppAD::AD<double> unused = list[CppAD::AD<double>(0.0)];
    CppAD::ADFun<double> tape;
    tape.Dependent(x, x);
    tape.optimize();
    tape.Forward(0, std::vector<double>{0.5});
    const double got = tape.Forward(1, std::vector<double>{1.0})[0];
    std::printf("derivative: expected 1, returned %.17g\n", got);
    return got == 1 ? 0 : 1;
}
