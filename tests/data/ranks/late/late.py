"""Two ranks of which the second is late: it sleeps before the step, and multiplies more often within its graph."""
import time
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as fc

dist.init_process_group("gloo")
rank = dist.get_rank()
group = dist.group.WORLD
torch.set_num_threads(1)

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(256, 512), torch.nn.Linear(512, 256)

    def forward(self, x):
        h = torch.relu(self.a(x))
        y = fc.all_reduce(self.b(h), "sum", group)
        return fc.all_gather_tensor(y.mean(1), 0, group).square().mean()

torch.manual_seed(0)
net = torch.compile(Net())
x = torch.randn(512, 256)
for step in range(12):
    if rank == 1:
        time.sleep(0.02)
    with torch.no_grad():
        loss = net(x)
print("loss", loss.item(), flush=True)
dist.barrier()
