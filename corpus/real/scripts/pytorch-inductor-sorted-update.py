import sys
import torch
torch.set_num_threads(1)

def f(x):
    s = torch.sort(x, dim=0, stable=True)[0]
    t = torch.slice_scatter(s, s[0:1], 0, 1, 2)
    return t, t + s

x = torch.tensor([1.0, 4.0, 5.0], dtype=torch.float64)
got, right = [y.tolist() for y in torch.compile(f, backend="inductor")(x)], [y.tolist() for y in f(x)]
print("primals:", got, "expected:", right)
sys.exit(0 if got == right else 1)
