import sys
import halide as hl

b = hl.Buffer(hl.Float(64), [3])
for k in range(3):
    b[k] = k + 1.0
i, r = hl.Var("i"), hl.RDom([(0, 3)])
x, y, ones = hl.Func("x"), hl.Func("y"), hl.Func("ones")
x[i] = b[hl.clamp(i, 0, 2)]
y[i] = hl.f64(0.0)
y[r[0] + 1] = y[r[0]] + x[r[0]]
ones[i] = hl.select((i >= 0) & (i < 4), hl.f64(1.0), hl.f64(0.0))
out = hl.Buffer(hl.Float(64), [3])
hl.propagate_adjoints(y, ones, [hl.Range(0, 4)])[x].realize(out)
got, right = [out[k] for k in range(3)], [3.0, 2.0, 1.0]
print("gradient, float64[3]:", got, "expected:", right)
sys.exit(0 if got == right else 1)
