# SPDX-License-Identifier: BSD-3-Clause
"""Traces one program for tst_engine_rederive:
    record_derived.py NAME; tar --sort=name -cJf ../../data/captures/derived.tar.xz -C derived .
writes derived/NAME.log, with the records that the test reads. llama needs transformers, those of gpu_ a GPU."""
import re
import sys
from pathlib import Path

import record_traced
import torch
import torch._functorch.config
from torch import nn
from torch.fx import symbolic_trace
from torch.nn import functional as F


def llama():
    """Inductor's joint graph is decomposed; in 24 layers rounding adds up."""
    from transformers import LlamaConfig, LlamaForCausalLM
    # Inductor splits what its passes made of the joint graph, which no capture holds.
    record_traced.KEPT.difference_update({"aot_forward_graph", "aot_backward_graph"})
    model = LlamaForCausalLM(LlamaConfig(
        hidden_size=32, intermediate_size=64, num_hidden_layers=24, num_attention_heads=4, num_key_value_heads=2,
        vocab_size=100, max_position_embeddings=64, use_cache=False))
    tokens = torch.randint(0, 100, (2, 8))
    torch.compile(model, backend="inductor")(input_ids=tokens, labels=tokens).loss.backward()


class Saving(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, gradient):
        return gradient + ctx.saved_tensors[0]


class Sized(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor, y):
        ctx.factor = factor
        ctx.save_for_backward(y)
        return x * factor, y.reshape(-1)

    @staticmethod
    def backward(ctx, first, second):
        y, = ctx.saved_tensors
        return first * ctx.factor, None, second.reshape(y.shape) * y


def leaf(*sizes):
    return torch.randn(*sizes, requires_grad=True)


def eagerly(function, *inputs, **options):
    results = torch.compile(function, backend="aot_eager", **options)(*inputs)
    results = results if isinstance(results, tuple) else (results,)
    if any(result.requires_grad for result in results):
        sum(result.sum() for result in results).backward()


def symbolic_function():
    eagerly(lambda x: Saving.apply(x + 1).view(x.shape), leaf(4, 6), dynamic=True)


def symbolic_function_of_sizes():
    def function(x, y):
        a, b = Sized.apply(x, x.shape[0], y)
        return a.sin(), b.cos() * y.shape[1]
    eagerly(function, leaf(4, 6), leaf(3, 5), dynamic=True)


def symbolic_hooks():
    record_traced.ARTIFACTS.add("aot_saved_tensors_hooks_graphs")
    torch._functorch.config.saved_tensors_hooks_filtering_mode = "all"
    pack, unpack = symbolic_trace(lambda x: x.to(torch.float8_e4m3fn)), symbolic_trace(lambda x: x.to(torch.float32))
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        eagerly(lambda x: Saving.apply(x + 1).view(x.shape), leaf(4, 6), dynamic=True)


def indexed(x):
    rows = torch.arange(x.shape[0])
    y = x[:, None] * 2
    z = x + 1
    z[:, 1] = x[:, 0]
    z[rows, :] = x[rows, :] * 3
    return (y[:, :, None, :3].sum(), x[None, :, 1].cos(), x[rows[:2], :].tanh(), x[:, rows[:2]].relu(),
            x[..., None].exp(), x[:, :x.shape[1], None].sin(), z)


def symbolic_slices():
    """A slice of a whole dimension stays, because nothing tells that the length is below the slice's end."""
    eagerly(indexed, leaf(4, 6), dynamic=True)


def symbolic_slices_bounded():
    """Rows have an upper bound here, so that their whole slices go; columns have none."""
    x = leaf(4, 6)
    torch._dynamo.mark_dynamic(x, 0, min=2, max=64)
    torch._dynamo.mark_dynamic(x, 1)
    eagerly(indexed, x)


def checked(bound):
    def function(x):
        torch._check(bound(x.shape[0]))
        return indexed(x)
    return function


def symbolic_slices_checked():
    """An upper bound that is only checked: rows have one as if it had been marked."""
    x = leaf(4, 6)
    torch._dynamo.mark_dynamic(x, 0)
    torch._dynamo.mark_dynamic(x, 1)
    eagerly(checked(lambda n: 2 * n <= 64), x)


def symbolic_slices_odd():
    """65 is no multiple of two: PyTorch makes no bound of this check."""
    x = leaf(4, 6)
    torch._dynamo.mark_dynamic(x, 0)
    torch._dynamo.mark_dynamic(x, 1)
    eagerly(checked(lambda n: 2 * n < 65), x)


def hooks_that_pack_nothing():
    """Only inputs are saved, which the default filter leaves out: PyTorch records no graph of the hooks."""
    record_traced.ARTIFACTS.update({"aot_saved_tensors_hooks_graphs", "torch._functorch.config"})
    pack, unpack = symbolic_trace(lambda x: x.to(torch.bfloat16)), symbolic_trace(lambda x: x.to(torch.float32))
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        eagerly(lambda x, w: (x * w).sum(), leaf(4, 4), leaf(4, 4))


def overlap_of_computed():
    def function(a, b):
        a.mul_(2)
        return (a[:8] * b[:8]).sin()
    base = leaf(24) * 1
    eagerly(function, base[:12], base[4:16])


def overlap_shaped():
    def function(a, b, weight):
        a.add_(1)
        return a * b * weight
    base = leaf(4, 6) * 1
    eagerly(function, base[:, :4], base[:, 2:], leaf(4))


def overlap_with_base():
    def function(base, a, weight):
        a.mul_(3)
        return base.sum() * weight
    base = torch.randn(10)
    eagerly(function, base, base[2:6], leaf(3))


def overlap_inside_storage():
    def function(a, b, weight):
        a.exp_()
        return (a + b) * weight
    base = torch.randn(40).detach()[8:32].view(4, 6)
    eagerly(function, base[1:3], base[2:4], leaf(6))


def written_first(a, b, weight):
    a.add_(1)
    return a * b * weight


def reuse_training():
    """Code for inputs that overlap; a guard asks no more than that they are no one tensor."""
    base = torch.randn(4, 6)
    eagerly(written_first, base[:, :4], base[:, 2:], leaf(4))


def reuse_symbolic():
    """The same; with symbolic sizes PyTorch does ask for the overlap, which is no guard that is kept here."""
    base = torch.randn(4, 6)
    eagerly(written_first, base[:, :4], base[:, 2:], torch.randn(4), dynamic=True)


class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(8, 8)
        self.n = nn.LayerNorm(8)

    def forward(self, x, c):
        y = self.n(self.l(x).relu())
        z = torch.arange(8, device=x.device) + torch.zeros(8, device="cuda")
        return y * z + c.to(x.device)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(16, 48)
        self.o = nn.Linear(16, 16)

    def forward(self, x, c):
        q, k, v = self.q(x).view(2, 4, 3, 2, 8).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(2, 4, 16)
        on_meta = torch.zeros(16, device="meta").to("cpu").to("cuda")
        return F.dropout(self.o(y), 0.1, self.training) + on_meta.size(0)


def gpu_mixed():
    eagerly(Mixed().cuda(), torch.randn(4, 8, device="cuda"), torch.randn(4, 8))


def gpu_attention():
    with torch.no_grad():
        eagerly(Attention().cuda().eval(), torch.randn(2, 4, 16, device="cuda"), torch.randn(4, 8))


def main():
    torch.manual_seed(0)
    record_traced.KEPT.update({"create_symbol", "guard_added_fast"})
    name = sys.argv[1]
    globals()[name]()
    log, = Path(record_traced.FOLDER).glob("*.log")
    Path("derived").mkdir(exist_ok=True)
    records = re.split(r"(?m)^(?=V\d{4} )", log.read_text())
    (Path("derived") / f"{name}.log").write_text(
        re.sub(r"/[\w./-]*/site-packages/", "", "".join(map(record_traced.record, records))))


if __name__ == "__main__":
    main()
