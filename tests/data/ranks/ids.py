import datetime, os, sys, threading
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as fc
case = sys.argv[1]
rank = int(os.environ["RANK"]); world = int(os.environ["WORLD_SIZE"])
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=8))
t = threading.Timer(100, lambda: os._exit(0)); t.daemon = True; t.start()
G = dist.group.WORLD
odd = rank == world - 1
torch.manual_seed(0)

def helper(x):
    y = fc.all_reduce(x.sin(), "sum", G)
    if odd and case in ("inner", "innerlast"):
        torch._dynamo.graph_break()
    return fc.all_gather_tensor(y.relu(), 0, G)

def first(x):
    return x.cos() + 1

def step(x, w):
    y = x @ w
    y = fc.all_reduce(y, "sum", G)
    if odd and case in ("break", "skips"):
        torch._dynamo.graph_break()
    if odd and case == "skips":
        z = y.relu()
    else:
        z = fc.all_gather_tensor(y.relu(), 0, G)
    if case == "inner":
        z = helper(z)
    if case == "innerlast":
        return helper(z)
    c = fc.reduce_scatter_tensor(torch.cat([z, z, z]).sin(), "sum", 0, G)
    return c.sum()

def last(x):
    return fc.all_reduce(x * 2, "max", G).sum()

def extra(x):
    return x.exp()

c = {f.__name__: torch.compile(f, backend="aot_eager", dynamic=False) for f in (first, step, last, extra)}
x = torch.randn(6, 8, requires_grad=True); w = torch.randn(8, 8, requires_grad=True)
try:
    if odd and case == "extra":
        c["extra"](x)
    if odd and case in ("order",):
        c["last"](x.detach()); c["first"](x); out = c["step"](x, w)
    elif odd and case == "harmless":
        out = c["step"](x, w); c["first"](x); c["last"](x.detach())
    else:
        c["first"](x); out = c["step"](x, w); c["last"](x.detach())
    if case in ("break","inner"):
        out.backward()
except Exception as e:
    print(rank, case, type(e).__name__, str(e)[:100])
os._exit(0)
