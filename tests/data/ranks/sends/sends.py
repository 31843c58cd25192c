# Three ranks send to each other in compiled code: around a ring in a batch, one by one, and in uneven splits.
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as fc

torch._dynamo.config.enable_p2p_compilation = True
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
after, before = (rank + 1) % world, (rank - 1) % world


def ring(x):
    y = torch.zeros_like(x)
    ops = [dist.P2POp(dist.isend, x, after), dist.P2POp(dist.irecv, y, before)]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
    return y * 2


def chain(x):
    y = torch.zeros_like(x)
    if rank == 0:
        dist.isend(x, 1).wait()
    elif rank == 1:
        dist.irecv(y, 0).wait()
        dist.isend(y, 2).wait()
    else:
        dist.irecv(y, 1).wait()
    return y + 1


SENT = [[1, 2, 3], [4, 1, 1], [2, 2, 2]]


def exchange(x):
    received = [SENT[other][rank] for other in range(world)]
    return fc.all_to_all_single(x, received, SENT[rank], list(range(world))) * 2


x = torch.ones(6, 4) * rank
print(rank, torch.compile(ring, backend="aot_eager")(x).sum().item())
torch.compile(chain, backend="aot_eager")(x)
print(rank, torch.compile(exchange, backend="aot_eager")(x).sum().item())
dist.barrier()
