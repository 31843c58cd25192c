# SPDX-License-Identifier: BSD-3-Clause
"""Records Dynamo graphs of one torch function each with PyTorch's own answers, for tst_engine_recorded:
record_torch_level.py > torch_level.json; tar cJf ../torch_level.tar.xz torch_level.json"""
import json, re, sys, torch, torch.nn.functional as F
from torch._higher_order_ops.associative_scan import associative_scan, associative_scan_op
from torch._higher_order_ops.map import map as map_over
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
torch.manual_seed(0)
X, Y = torch.randn(2, 3, 8), torch.randn(2, 3, 8)
I, W = torch.randn(2, 4, 8, 8), torch.randn(6, 4, 3, 3)
L, T, E = torch.randn(4, 5), torch.tensor([0, 3, 1, 4]), torch.randn(10, 6)
P, M = torch.rand(4, 5) * 0.8 + 0.1, torch.randn(4, 4)
QKV = tuple(torch.randn(2, 4, 9, 4) for _ in range(3))
BLOCKS = create_block_mask(lambda b, h, i, j: i >= j, None, None, 20, 18, device="cpu", BLOCK_SIZE=16)
one = lambda f: (f, (X,))
CASES = {
  **{n: one(lambda x, n=n: getattr(F, n)(x)) for n in "relu relu6 elu selu celu silu mish hardswish hardsigmoid hardtanh leaky_relu gelu softplus softsign tanhshrink logsigmoid sigmoid tanh hardshrink softshrink".split()},
  **{"in place " + n: one(lambda x, n=n: getattr(F, n)(x + 1, inplace=True)) for n in "relu elu silu hardtanh leaky_relu".split()},
  **{n: (lambda x, n=n: getattr(F, n)(x, dim=1), (X,)) for n in "softmax log_softmax softmin".split()},
  "softmax dtype": one(lambda x: F.softmax(x, -1, dtype=torch.float64)),
  "layer_norm": one(lambda x: F.layer_norm(x, (8,))), "rms_norm": one(lambda x: F.rms_norm(x, (8,))),
  "group_norm": (lambda x: F.group_norm(x, 2), (I,)), "normalize": one(lambda x: F.normalize(x, dim=2)),
  "batch_norm": (lambda x, m, v: F.batch_norm(x, m, v, training=True), (I, torch.zeros(4), torch.ones(4))),
  "instance_norm": (lambda x: F.instance_norm(x), (I,)), "local_response_norm": (lambda x: F.local_response_norm(x, 2), (I,)),
  "conv2d": (lambda x, w: F.conv2d(x, w, padding=1, stride=2), (I, W)), "conv2d same": (lambda x, w: F.conv2d(x, w, padding="same"), (I, W)),
  "max_pool2d": (lambda x: F.max_pool2d(x, 2), (I,)), "max_pool2d indices": (lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True)[0], (I,)),
  "avg_pool2d": (lambda x: F.avg_pool2d(x, 2), (I,)), "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, (None, 3)), (I,)),
  "adaptive_max_pool2d": (lambda x: F.adaptive_max_pool2d(x, 2), (I,)), "lp_pool2d": (lambda x: F.lp_pool2d(x.abs(), 2, 2), (I,)),
  **{"interpolate " + m: (lambda x, m=m: F.interpolate(x, scale_factor=2, mode=m), (I,)) for m in "nearest bilinear bicubic area nearest-exact".split()},
  "interpolate size": (lambda x: F.interpolate(x, size=(5, 6), mode="bilinear", align_corners=True), (I,)),
  "pad": (lambda x: F.pad(x, (1, 2), value=3.0), (X,)), "pad reflect": (lambda x: F.pad(x, (1, 1, 2, 2), mode="reflect"), (I,)),
  "unfold": (lambda x: F.unfold(x, 3), (I,)), "fold": (lambda x: F.fold(F.unfold(x, 3), (8, 8), 3), (I,)),
  "grid_sample": (lambda x, g: F.grid_sample(x, g, align_corners=False), (I, torch.rand(2, 5, 5, 2) - 0.5)),
  "affine_grid": (lambda t: F.affine_grid(t, (2, 4, 5, 5), align_corners=False), (torch.randn(2, 2, 3),)),
  "embedding": (lambda i, w: F.embedding(i, w, padding_idx=-1), (T, E)), "embedding_bag": (lambda i, w: F.embedding_bag(i.view(2, 2), w, mode="sum"), (T, E)),
  "one_hot": (lambda i: F.one_hot(i, 6), (T,)), "cross_entropy": (lambda x, t: F.cross_entropy(x, t, label_smoothing=0.1), (L, T)),
  "nll_loss": (lambda x, t: F.nll_loss(F.log_softmax(x, 1), t, reduction="sum"), (L, T)),
  **{n: (lambda x, y, n=n: getattr(F, n)(x, y), (X, Y)) for n in "mse_loss l1_loss smooth_l1_loss huber_loss".split()},
  "mse_loss none": (lambda x, y: F.mse_loss(x, y, reduction="none"), (X, Y)), "kl_div": (lambda x, y: F.kl_div(x.log(), y, reduction="batchmean"), (P, P)),
  "binary_cross_entropy": (lambda x, y: F.binary_cross_entropy(x, y), (P, P)), "bce_with_logits": (lambda x, y: F.binary_cross_entropy_with_logits(x, y), (L, P)),
  "sdpa": (lambda q: F.scaled_dot_product_attention(q, q, q, is_causal=True), (I,)),
  "mha": (lambda x, w, o: F.multi_head_attention_forward(x, x, x, 8, 2, w, None, None, None, False, 0.0, o, None)[0], (X, torch.randn(24, 8), torch.randn(8, 8))),
  "mha no weights": (lambda x, y, w, o: F.multi_head_attention_forward(x, y, y, 8, 2, w, None, None, None, True, 0.0, o, None, need_weights=False)[0], (X, Y, torch.randn(24, 8), torch.randn(8, 8))),
  "operators": (lambda x, y: (x + 1) * y - 2 / (x.abs() + 1) + (3 - y) ** 2 // 1 % 5, (X, Y)),
  "compare": (lambda x, y: (x > y) & (x <= 1) | ~(y != 0), (X, Y)), "in-place operators": (lambda x, y: torch.Tensor.__iadd__(x * 1, y).mul_(2), (X, Y)),
  "getitem": one(lambda x: x[:, None, ..., 1:6:2]), "getitem tensor": (lambda x, i: x[i, 2:], (L, T[:2])), "mask": one(lambda x: x * (x > 0)),
  "setitem": (lambda x, y: _set(x * 1, y), (X, Y)), "reductions": one(lambda x: x.sum(1) + x.mean((0, 2)).sum() + x.var(1) + x.amax(dim=1)),
  "max": one(lambda x: torch.max(x, dim=2)[1]), "norm": one(lambda x: x.norm(dim=1) + torch.norm(x)), "topk": one(lambda x: x.topk(3)[0]),
  "cat": (lambda x, y: torch.cat([x, y], dim=-1).reshape(2, -1).t(), (X, Y)), "split": one(lambda x: x.split(3, dim=2)[2]), "chunk": one(lambda x: x.chunk(2, -1)[1]),
  "einsum": (lambda x, y: torch.einsum("bij,bkj->bik", x, y), (X, Y)), "matmul": (lambda x, y: x @ y.mT, (X, Y)), "where": (lambda x, y: torch.where(x > 0, x, 0.5), (X, Y)),
  "factories": one(lambda x: x.new_zeros(3) + torch.arange(3) + torch.full((3,), 2) + torch.linspace(0, 1, 3)), "tensor": one(lambda x: x + torch.tensor([1.0] * 8)),
  "casts": one(lambda x: x.half().float().to(torch.float64).int()), "linalg": (lambda m: torch.linalg.solve(m @ m.T + torch.eye(4), m), (M,)),
  "fft": one(lambda x: torch.fft.rfft(x).abs()), "autocast": (lambda x, y: _cast(x, y), (M, M)), "no_grad": one(lambda x: _nograd(x)),
  "expand": one(lambda x: x[:, :1].expand(-1, 4, -1).permute(2, 0, 1).contiguous().flatten(1)), "clamp": one(lambda x: x.clamp(-0.5, 0.5).clamp_min(0)),
  "scatter": (lambda x, i: torch.zeros(4, 6).scatter(1, i[:, None], 1.0), (L, T)), "cumsum": one(lambda x: x.cumsum(-1).flip(0).roll(1, 2)), "tril": (lambda m: m.tril(-1) + torch.triu(m), (M,)),
  "flex_attention": (lambda q, k, v, b: flex_attention(q, k, v, score_mod=lambda s, n, h, i, j: s + b[h] * (i - j)), (*QKV, torch.randn(4))),
  "flex_attention mask": (lambda q, k, v: flex_attention(q, k, v, block_mask=BLOCKS, enable_gqa=True, return_lse=True), (torch.randn(2, 4, 20, 4), torch.randn(2, 2, 18, 4), torch.randn(2, 2, 18, 4))),
  "flex_attention scale": (lambda q, k, v: flex_attention(q.double(), k.double(), v.double(), score_mod=lambda s, n, h, i, j: torch.where(i >= j, torch.tanh(s) * 3, -float("inf")), scale=0.5), QKV),
  "scan": (lambda x, h, w: scan(lambda c, r: (torch.tanh(c @ w + r), c * 2), h, x, dim=0), (torch.randn(5, 3, 2), torch.randn(3, 2), torch.randn(2, 2))),
  "scan reverse": (lambda x, h: scan(lambda c, r: ({"a": c["a"] + r}, c["a"] * r), {"a": h}, x, dim=1, reverse=True), (torch.randn(3, 5, 2), torch.randn(3, 2))),
  "associative_scan": (lambda x, y: associative_scan_op(lambda a, b, c, d: [a * c, b * c + d], [x, y], ()), (torch.rand(7, 3), torch.rand(7, 3))),
  "associative_scan generic": (lambda x, y: associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (x, y), 1, combine_mode="generic"), (torch.rand(3, 5, 2), torch.rand(3, 5, 2))),
  "while_loop": (lambda x, i: while_loop(lambda x, i: i < 5, lambda x, i: (x * 2, i + 1), (x, i)), (X, torch.tensor(0))),
  "map": (lambda x, y: map_over(lambda a, b: a + b.sum(), x, y), (X, torch.rand(2))),
  "vmap": (lambda x, y: vmap(lambda a, b: a @ b + a.sum(), in_dims=(0, 1), out_dims=1)(x, y), (torch.rand(4, 3, 2), torch.rand(2, 4, 5))),
  "vmap nested": (lambda x, y: vmap(vmap(lambda a, b: (a * b).sum() + b[0], in_dims=(0, None)), in_dims=(None, 0), out_dims=-1)(x, y), (torch.rand(4, 3), torch.rand(5, 3))),
  "vmap constant": (lambda x: vmap(lambda a: (a.relu(), torch.ones(2)), out_dims=(0, 1))(x), (X,)),
  "grad": one(lambda x: grad(lambda a: (a.sin() * a).sum())(x)), "grad no_grad": one(lambda x: _nogradgrad(x)),
  "vjp": (lambda x, y: vjp(lambda a: a * a, x)[1](y), (X, Y)), "jvp": (lambda x, y: jvp(lambda a: a.sin() * a, (x,), (y,)), (X, Y)),
  "jacrev": one(lambda x: jacrev(lambda a: a.sin())(x[0, 0])), "jacfwd": one(lambda x: jacfwd(lambda a: a.sin() * a.sum())(x[0, 0])),
  "hessian": one(lambda x: hessian(lambda a: (a ** 3).sum())(x[0, 0])),
  "per-sample grad": (lambda w, x: vmap(grad(lambda w, a: ((a @ w) ** 2).sum()), in_dims=(None, 0))(w, x), (torch.randn(3, 2), torch.randn(5, 4, 3))),
}
def _nogradgrad(x):
    with torch.no_grad(): return grad(lambda a: (a.exp() * a).sum())(x)
def _set(x, y): x[:, 0] = y[:, 1]; x[0, 1, 2:4] = 7; return x
def _cast(x, y):
    with torch.autocast("cpu", torch.bfloat16): return (x @ y).float()
def _nograd(x):
    with torch.no_grad(): y = x * 2
    return y + 1
def describe(t): return {"shape": list(t.shape), "dtype": str(t.dtype)[6:], "data": t.detach().double().flatten().tolist() if t.dtype != torch.bool else t.flatten().tolist()}
out = []
for name, (f, args) in CASES.items():
    seen = {"graphs": 0}
    def replay(gm, example):
        seen["graphs"] += 1
        seen["graph"] = re.sub(r"\n *# [^\n]*(?=\n)", "", gm.print_readable(print_output=False, include_stride=True, include_device=True))
        seen["inputs"] = [e.clone() for e in example]
        def call(*a):
            seen["result"] = gm.forward(*a); return seen["result"]
        return call
    torch._dynamo.reset()
    torch.compile(f, backend=replay, dynamic=False)(*[a.clone() for a in args])
    assert seen["graphs"] == 1, name  # a graph break: not a case
    storages = [{"dtype": str(e.dtype)[6:], "data": e.flatten().tolist()} for e in seen["inputs"]]
    inputs = [{"name": f"x{i}", "storage": i, "shape": list(e.shape), "stride": list(e.contiguous().stride()), "storage_offset": 0, "dtype": str(e.dtype)[6:]} for i, e in enumerate(seen["inputs"])]
    out.append({"name": name, "graph": seen["graph"], "inputs": {"storages": storages, "inputs": inputs}, "outputs": [describe(t) for t in seen["result"]]})
json.dump(out, sys.stdout)
