import sys
import torch
torch.set_num_threads(1)

def f(x, y):
    return torch.cond(x > 0, lambda: (x * y,), lambda: (x + y,), ())[0]

x = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
y = torch.tensor(0.25, dtype=torch.float64, requires_grad=True)
z = torch.compile(f, backend="inductor", dynamic=False)(x, y)
torch.autograd.grad(z, (x, y), torch.tensor(2.0, dtype=torch.float64))
print("y after the gradient:", y.item(), "expected:", 0.25)
sys.exit(0 if y.item() == 0.25 else 1)
