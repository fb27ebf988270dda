import sys
import halide as hl

i, x, y, one = hl.Var("i"), hl.Func("x"), hl.Func("y"), hl.Func("one")
b = hl.Buffer(hl.Float(64), [1])
b[0] = 0.5
x[i] = b[hl.clamp(i, 0, 0)]
y[i] = x[i] + x[i]
one[i] = hl.select(i == 0, hl.f64(1.0), hl.f64(0.0))
out = hl.Buffer(hl.Float(64), [1])
hl.propagate_adjoints(y, one, [hl.Range(0, 1)])[x].realize(out)
sys.exit(0 if out[0] == 2 else 1)
