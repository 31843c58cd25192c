import torch
log = []
class Counter:
    n = 0
c = Counter()
@torch.compile(backend="eager")
def f(x):
    def yes(x):
        log.append(1)
        return x + 1
    def no(x):
        return x - 1
    return torch.cond(x.sum() > 0, yes, no, (x,))
@torch.compile(backend="eager")
def g(x):
    def yes(x):
        c.n = 4
        return x + 1
    def no(x):
        return x - 1
    return torch.cond(x.sum() > 0, yes, no, (x,))
for h in (f, g):
    try:
        print(h(torch.randn(4, 4)))
    except Exception as e:
        print(type(e).__name__)
