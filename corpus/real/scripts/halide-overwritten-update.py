import sys
import halide as hl

def buffer(kind, values):
    b = hl.Buffer(kind, [len(values)])
    for k, value in enumerate(values):
        b[k] = value
    return b

i, r, at = hl.Var("i"), hl.RDom([(0, 2)]), buffer(hl.Int(32), [1, 1])
u, y, seed = hl.Func("u"), hl.Func("y"), hl.Func("seed")
u[i] = buffer(hl.Float(64), [10.0, 11.0])[hl.clamp(i, 0, 1)]
y[i] = hl.f64(0.0)
y[hl.clamp(at[r[0]], 0, 2)] = u[r[0]]
seed[i] = hl.select((i >= 0) & (i < 3), hl.cast(hl.Float(64), i + 1), hl.f64(0.0))
out = hl.Buffer(hl.Float(64), [2])
hl.propagate_adjoints(y, seed, [hl.Range(0, 3)])[u].realize(out)
got, right = [out[k] for k in range(2)], [0.0, 2.0]
print("gradient, float64[2]:", got, "expected:", right)
sys.exit(0 if got == right else 1)
