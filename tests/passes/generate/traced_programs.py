# SPDX-License-Identifier: BSD-3-Clause
"""Programs whose AOTAutograd graphs tst_engine_rederive derives, by name: a function and what makes its inputs."""
from functools import partial

import numpy_programs
import torch
import torch.nn.functional as F
from torch import nn
from torch._higher_order_ops.map import map as map_over
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.func import grad, jacfwd, jacrev, vjp, vmap
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts


def normal(*shape, grad=True, dtype=torch.float32):
    return lambda: (torch.randn(*shape, dtype=dtype).requires_grad_(grad),)


def both(function, *shape, **options):
    """In training and in inference."""
    return {"": (function, normal(*shape, **options)), "_inference": (function, normal(*shape, grad=False, **options))}


def channels_last():
    return torch.randn(2, 4, 3, 3).to(memory_format=torch.channels_last).requires_grad_(),


def upsampling():
    for d in (1, 2, 3):
        shape, size = (2, 4, 3, 4, 5)[:d + 2], (5, 7, 6)[:d]
        smooth = {1: "linear", 2: "bilinear", 3: "trilinear"}[d]
        yield f"nearest{d}d", both(lambda x: F.interpolate(x, scale_factor=2), *shape)
        yield f"nearest{d}d_factor", both(lambda x: F.interpolate(x, scale_factor=1.7), *shape)
        yield f"nearest_exact{d}d", both(lambda x, size=size: F.interpolate(x, size=size, mode="nearest-exact"), *shape)
        yield smooth, both(lambda x, mode=smooth: F.interpolate(x, scale_factor=2, mode=mode), *shape)
        yield smooth + "_corners", both(lambda x, mode=smooth, size=size: F.interpolate(x, size=size, mode=mode,
                                                                                        align_corners=True), *shape)
    yield "bicubic", both(lambda x: F.interpolate(x, scale_factor=2, mode="bicubic"), 2, 3, 4, 4)
    yield "bicubic_corners", both(lambda x: F.interpolate(x, size=(3, 7), mode="bicubic", align_corners=True), 2, 3, 4, 4)
    yield "bilinear_antialias", both(lambda x: F.interpolate(x, size=3, mode="bilinear", antialias=True), 2, 3, 4, 4)
    yield "bicubic_antialias", both(lambda x: F.interpolate(x, scale_factor=0.5, mode="bicubic", antialias=True), 2, 3, 4, 4)
    yield "bilinear_bfloat16", both(lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), 2, 3, 4, 4,
                                    dtype=torch.bfloat16)
    yield "nearest_half", both(lambda x: F.interpolate(x, scale_factor=2), 2, 3, 4, 4, dtype=torch.float16)
    yield "nearest_channels_last", {"": (lambda x: F.interpolate(x, scale_factor=2), channels_last)}
    yield "bilinear_channels_last", {"": (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), channels_last)}
    yield "nearest_default", both(lambda x: torch.ops.aten.upsample_nearest2d(x, [6, 6]), 2, 4, 3, 3)
    yield "bilinear_default", both(lambda x: torch.ops.aten.upsample_bilinear2d(x, [6, 6], False), 2, 4, 3, 3)


def losses():
    def multilabel(grad):
        return torch.randn(2, 4).requires_grad_(grad), torch.tensor([[3, 0, -1, 1], [0, -1, 1, 2]])

    labels = torch.tensor([1, 0, 4, 2])
    yield "hardshrink", both(lambda x: F.hardshrink(x, 0.3), 4, 5)
    yield "softshrink", both(lambda x: F.softshrink(x, 0.3), 4, 5)
    yield "multi_margin", both(lambda x: F.multi_margin_loss(x, torch.arange(4)), 4, 5)
    yield "multi_margin_squared", {"": (lambda x, y, w: F.multi_margin_loss(x, y, p=2, weight=w, reduction="sum"),
                                        lambda: (torch.randn(4, 5, requires_grad=True), labels, torch.rand(5)))}
    yield "multi_margin_each", {"": (lambda x, y: F.multi_margin_loss(x, y, margin=0.5, reduction="none"),
                                     lambda: (torch.randn(4, 5, requires_grad=True), labels))}
    yield "multilabel_margin", {"": (F.multilabel_margin_loss, lambda: multilabel(True))}
    yield "multilabel_margin_sum", {"": (lambda x, y: F.multilabel_margin_loss(x, y, reduction="sum"),
                                         lambda: multilabel(False))}
    yield "one_hot", {"": (lambda y: F.one_hot(y, 5), lambda: (labels,))}


def sequences():
    pad = nn.utils.rnn.pad_sequence
    yield "pad_sequence", {"": (lambda a, b: pad([a, b], batch_first=True),
                                lambda: (torch.randn(3, 2, requires_grad=True), torch.randn(5, 2)))}
    yield "pad_sequence_left", {"": (lambda a, b: pad([a, b], padding_value=1.0, padding_side="left"),
                                     lambda: (torch.randn(3, 2), torch.randn(5, 2)))}
    yield "stft", both(lambda x: torch.view_as_real(torch.stft(x, 8, return_complex=True, window=torch.hann_window(8))), 2, 32)
    yield "stft_two_sided", both(lambda x: torch.view_as_real(torch.stft(
        x, 8, hop_length=3, win_length=6, return_complex=True, onesided=False, normalized=True)), 32)
    yield "istft", both(lambda x: torch.istft(torch.view_as_complex(x), 8, window=torch.ones(8)), 2, 5, 9, 2)
    yield "istft_length", both(lambda x: torch.istft(torch.view_as_complex(x), 8, length=20), 5, 9, 2)
    yield "broadcast_tensors", both(lambda x: torch.broadcast_tensors(x, torch.ones(3, 1, 5))[0] * 2, 4, 5)
    yield "unsafe_chunk", both(lambda x: torch.unsafe_chunk(x, 2, 1)[0] * 2, 4, 6)


def products():
    def two(a, b):
        return lambda: (torch.randn(*a, requires_grad=True), torch.randn(*b))

    def matmul(a, b):
        return a @ b

    def into(a, b, out):
        return torch.matmul(a, b, out=out)

    for name, a, b in (("12", (4,), (2, 4, 3)), ("2n", (5, 4), (2, 4, 3)), ("n1", (2, 5, 4), (4,)), ("n2", (2, 5, 4), (4, 3)),
                       ("nn", (3, 1, 2, 6), (3, 4, 6, 5)), ("one", (1, 5, 4), (3, 4, 2))):
        yield "matmul_" + name, {"": (matmul, two(a, b)), "_inference": (
            matmul, lambda a=a, b=b: (torch.randn(*a), torch.randn(*b)))}
    yield "matmul_out", {"": (into, lambda: (torch.randn(2, 5, 4), torch.randn(4, 3), torch.empty(2, 5, 3))),
                         "_many": (into, lambda: (torch.randn(5, 4), torch.randn(2, 4, 3), torch.empty(2, 5, 3)))}
    yield "dropout", both(lambda x: F.dropout(x, 0.5) + F.dropout(x, 0.5, False) + F.dropout(x, 0.0), 3, 4)
    yield "batch_norm", both(lambda x: F.batch_norm(x, None, None, training=True), 3, 4)
    yield "adam", {"": (adam, lambda: (*(torch.rand(4, 3) for _ in range(4)), torch.tensor(1.0)))}


def adam(parameter, gradient, mean, square, step):
    mean.lerp_(gradient, 0.1)
    square.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
    step.add_(1)
    parameter.addcdiv_(mean / (1 - 0.9 ** step), (square / (1 - 0.999 ** step)).sqrt().add_(1e-8), value=-0.001)


class Recurrent(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        output, state = self.network(x)
        return output, *(state if isinstance(state, tuple) else (state,))


def recurrent():
    torch._dynamo.config.allow_rnn = True
    wide = dict(num_layers=2, bidirectional=True, batch_first=True, dropout=0.2)
    for name, kind, options in (("lstm", nn.LSTM, {}), ("lstm_wide", nn.LSTM, wide), ("lstm_bare", nn.LSTM, dict(bias=False)),
                                ("lstm_projected", nn.LSTM, dict(proj_size=2)), ("gru", nn.GRU, {}), ("gru_wide", nn.GRU, wide),
                                ("rnn_wide", nn.RNN, wide), ("rnn_relu", nn.RNN, dict(nonlinearity="relu"))):
        torch.manual_seed(0)
        network = Recurrent(kind(3, 4, **options))
        without = torch.no_grad()(lambda x, network=network: network(x))
        yield name, {"": (network, normal(5, 2, 3)), "_inference": (without, normal(5, 2, 3, grad=False))}


def layouts():
    """Operators whose gradients PyTorch's fake tensors lay out otherwise than its kernels do: on a permuted input, with a
    gradient that is permuted as well (kept) or is not. The view before them shows how its gradient lies."""
    means = torch.zeros(5), torch.ones(5)
    other = torch.rand(2, 4, 5).transpose(1, 2)
    operators = {"layer_norm": lambda x: F.layer_norm(x, (4,)), "group_norm": lambda x: F.group_norm(x, 5),
                 "batch_norm": lambda x: F.batch_norm(x, *means, training=True),
                 "batch_norm_eval": lambda x: F.batch_norm(x, *means), "dropout": lambda x: F.dropout(x, 0.5),
                 "log_softmax": lambda x: F.log_softmax(x, -1), "log_sigmoid": F.logsigmoid, "hardswish": F.hardswish,
                 "hardsigmoid": F.hardsigmoid, "relu6": F.relu6, "elu": F.elu, "softplus": F.softplus,
                 "mse": lambda x: F.mse_loss(x, other, reduction="none"),
                 "smooth_l1": lambda x: F.smooth_l1_loss(x, other, reduction="none"),
                 "huber": lambda x: F.huber_loss(x, other, reduction="none"),
                 "binary_cross_entropy": lambda x: F.binary_cross_entropy(x.sigmoid(), other, reduction="none"),
                 "xlogy": lambda x: torch.xlogy(x, other.contiguous())}
    for name, operator in operators.items():
        yield name, {"": (lambda x, op=operator: op(x.view(2, 4, 5).transpose(1, 2)).contiguous(), normal(8, 5)),
                     "_kept": (lambda x, op=operator: op(x.view(2, 4, 5).transpose(1, 2)).transpose(1, 2).contiguous(),
                               normal(8, 5))}


class Embeddings(nn.Module):
    """Index buffers as BERT has them: one selects from another, and both select rows."""

    def __init__(self):
        super().__init__()
        self.register_buffer("positions", torch.arange(9).expand(1, -1))
        self.register_buffer("kinds", torch.zeros(1, 9, dtype=torch.int64))
        self.position, self.kind = nn.Embedding(11, 4), nn.Embedding(2, 4)

    def forward(self, x):
        positions = self.positions[:, : x.shape[1]]
        kinds = torch.gather(self.kinds.expand(1, -1), dim=1, index=positions)
        return x + self.kind(kinds.expand(x.shape[0], -1)) + self.position(positions + 2)


def inputs():
    """What the inputs are made of: indices, and tensors that other code computed."""
    yield "index_buffers", both(Embeddings(), 2, 6, 4)
    yield "computed", {"": (lambda x, y: x * y, lambda: (torch.randn(3, requires_grad=True).exp(), torch.randn(3)))}


def optimizers():
    for kind in (torch.optim.Adam, torch.optim.AdamW, torch.optim.SGD):
        for foreach in (False, True):
            parameters = [nn.Parameter(torch.randn(4, 3)), nn.Parameter(torch.randn(5))]
            for parameter in parameters:
                parameter.grad = torch.randn_like(parameter)
            optimizer = kind(parameters, lr=0.01, foreach=foreach, **({"momentum": 0.9} if kind is torch.optim.SGD else {}))
            optimizer.step()  # makes its state
            yield kind.__name__ + ("_foreach" if foreach else ""), {"": (optimizer.step, tuple)}


def tensors(*shapes, grad=True):
    return lambda: tuple(torch.randn(*shape).requires_grad_(grad) for shape in shapes)


def policy(_, op, *args, **kwargs):
    return CheckpointPolicy.MUST_SAVE if op == torch.ops.aten.mm.default else CheckpointPolicy.PREFER_RECOMPUTE


def checkpoints():
    square = tensors((4, 4), (4, 4))
    region = partial(checkpoint, use_reentrant=False)

    def twice(x, w):
        for _ in range(2):
            x = region(lambda x, w: F.dropout(torch.tanh(x @ w), 0.1), x, w)
        return x.sum()

    def selective(x, w):
        return region(lambda x, w: torch.sigmoid(torch.relu(x @ w).sin() @ w).cos(), x, w,
                      context_fn=partial(create_selective_checkpoint_contexts, policy)) * 2

    yield "one", {"": (lambda x, w: region(lambda x, w: torch.relu(x @ w).sin(), x, w) @ w, square)}
    yield "random", {"": (twice, square)}
    yield "selective", {"": (selective, square)}


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return (x * y).sin()

    @staticmethod
    def backward(ctx, gradient):
        x, y = ctx.saved_tensors
        return gradient * (x * y).cos() * y, gradient * (x * y).cos() * x


class WithMask(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor, y):
        ctx.factor, ctx.power, mask = factor, x.exp(), x > 0
        ctx.mark_non_differentiable(mask)
        return ctx.power * factor, mask, y + 1

    @staticmethod
    def backward(ctx, first, _, last):
        return first * ctx.factor * ctx.power, None, last


def autograd_functions():
    yield "product", {"": (lambda x, y: Product.apply(x * 2, y) + 1, tensors((4, 4), (4, 4)))}
    yield "mask", {"": (lambda x, y: WithMask.apply(x, 3, y)[::2], tensors((4,), (4,)))}


def casts():
    def region(x, w, v, cached=None):
        with torch.autocast("cpu", dtype=torch.bfloat16, cache_enabled=cached):
            y = F.layer_norm(x @ w @ w, (4,))
            z = F.scaled_dot_product_attention(y[None], y[None], y[None])
            with torch.autocast("cpu", enabled=False):
                z = z.float() @ v
            return F.mse_loss(z[0], x) + F.softmax(y @ w, -1).sum()

    three = (4, 4), (4, 4), (4, 4)
    yield "region", {"": (region, tensors(*three)), "_inference": (region, tensors(*three, grad=False))}
    yield "cached", {"": (partial(region, cached=True), tensors(*three))}
    yield "statistics", {"": (lambda x, m, v: F.batch_norm(x, m, v, training=True),
                              lambda: (torch.randn(4, 3, 2).half().requires_grad_(), torch.zeros(3).half(), torch.ones(3).half()))}


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.other = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: self.one(x).relu(), lambda x: self.other(x), (x,)).sum()


def kept_graphs():
    def choice(p, x):
        return torch.cond(p.sum() > 0, lambda x: x.sin() * 2, lambda x: x.cos() + 1, (x,))

    torch.manual_seed(0)
    yield "cond", {"": (choice, lambda: (torch.randn(3), torch.randn(3, 4, requires_grad=True))),
                   "_inference": (choice, tensors((3,), (3, 4), grad=False)), "_module": (Branches(), normal(3, 4, grad=False))}
    yield "while_loop", {"": (lambda i, x: while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (i, x)),
                              lambda: (torch.tensor(0), torch.randn(3)))}
    yield "map", {"": (lambda xs, y: map_over(lambda x, y: x * y + 1, xs, y), tensors((3, 4), (4,), grad=False))}
    yield "scan", {"": (lambda i, xs: scan(lambda c, x: (c + x, c * x), i, xs, dim=0), tensors((4,), (3, 4), grad=False))}


def transforms():
    def mask(x):
        rows = torch.arange(4)
        return x + vmap(vmap(lambda i, j: i >= j, (None, 0)), (0, None))(rows, rows)

    yield "vmap", both(lambda x: vmap(lambda a: a.sin() * a.sum())(x), 3, 4)
    yield "vmap_twice", {"": (lambda x, y: vmap(vmap(lambda a, b: a * b, (None, 0)), (0, None))(x, y), tensors((3,), (4,)))}
    yield "mask", both(mask, 4, 4)
    yield "grad", both(lambda x: grad(lambda a: (a.sin() * a).sum())(x), 4)
    yield "vjp", {"": (lambda x, y: vjp(lambda a: a.sin() * 2, x)[1](y)[0], tensors((4,), (4,), grad=False))}
    yield "jacrev", {"": (lambda x: jacrev(lambda a: a.sin() * a.sum())(x), tensors((4,), grad=False))}
    yield "jacfwd", {"": (lambda x: jacfwd(lambda a: a.sin() * a.sum())(x), tensors((4,), grad=False))}


def factorizations():
    """Checks for errors are effects, which PyTorch keeps in order with tokens: in forward, in backward, or in both."""
    yield "inv", both(lambda x: torch.linalg.inv(x), 4, 4)
    yield "solve", {"": (lambda a, b: torch.linalg.solve(a, b) * 2, tensors((4, 4), (4, 2))),
                    "_inference": (lambda a, b: torch.linalg.solve(a, b), tensors((4, 4), (4, 2), grad=False))}
    yield "inv_twice", both(lambda x: torch.linalg.inv(torch.linalg.inv(x) + 1), 4, 4)
    yield "eig", {"": (lambda x: torch.linalg.eigvals(x), normal(4, 4))}
    yield "lu_factor", both(lambda x: torch.linalg.lu_factor(x)[0], 4, 4)
    yield "matrix_power", both(lambda x: torch.linalg.matrix_power(x, -2), 3, 3)
    yield "ldl_factor", {"": (lambda x: torch.linalg.ldl_factor(x)[0], normal(3, 3, grad=False))}
    yield "cholesky", {"": (lambda x: torch.linalg.cholesky(x), lambda: ((torch.eye(4) * 2).requires_grad_(),))}
    yield "inv_of_written", {"": (lambda x: torch.linalg.inv(x.mul_(2)), normal(4, 4, grad=False))}
    yield "low_rank", {"": (lambda x: torch.svd_lowrank(x, q=2), normal(5, 4)),
                       "_pca": (lambda x: torch.pca_lowrank(x, q=2), normal(4, 5))}
    yield "lu", {"": (lambda x: torch.lu(x), normal(4, 4)), "_infos": (lambda x: torch.lu(x, get_infos=True), normal(4, 4))}


def masked():
    from torch.masked import _ops as ops
    half = torch.tensor([True, False, True])
    for name in ("sum", "prod", "amax", "amin", "mean", "norm", "var", "std", "logsumexp"):
        yield name, both(lambda x, f=getattr(ops, name): f(x, dim=1, mask=half) + f(x, dim=1).sum(), 4, 3)
    for name in ("softmax", "log_softmax", "softmin", "cumsum", "cumprod", "median", "argmax", "argmin"):
        yield name, both(lambda x, f=getattr(ops, name): f(x, 1, mask=half), 4, 3)
    yield "normalize", both(lambda x: ops.normalize(x, 2.0, 1, mask=half), 4, 3)
    yield "logaddexp", {"": (lambda x, y: ops.logaddexp(x, y, input_mask=half), tensors((4, 3), (4, 3)))}
    yield "mean_of_all", both(lambda x: ops.mean(x, mask=half) + ops.sum(x), 4, 3)


def windows():
    from torch.signal import windows as made
    more = {"exponential": dict(tau=2.5), "gaussian": dict(std=1.5), "kaiser": dict(beta=9.0), "general_cosine": dict(a=[0.5, 0.3, 0.2]),
            "general_hamming": dict(alpha=0.6)}
    for name in made.__all__:
        for symmetric in (True, False):
            yield f"{name}{'' if symmetric else '_periodic'}", {"": (
                lambda x, f=getattr(made, name), o=more.get(name, {}), s=symmetric: x * f(6, sym=s, **o), normal(6, grad=False))}
    yield "short", {"": (lambda x: x + made.hann(1) + made.gaussian(1) + made.kaiser(1).sum() + made.cosine(0).sum(),
                         normal(1, grad=False))}


def parts():
    """Views that come of one call: which input they lie in is noted, though autograd does not see it."""
    yield "chunk", both(lambda x: x.chunk(2), 5, 3)
    yield "split", both(lambda x: x.split(2), 5, 3)
    yield "unbind", both(lambda x: x.unbind(0), 3, 2)
    yield "split_of_second", {"": (lambda x, y: (x * 2, *y.split([1, 4])), tensors((3,), (5, 2)))}
    yield "split_and_input", both(lambda x: (x, *x.split(2)), 4, 3)


def conjugates():
    yield "polar", {"": (lambda x, y: torch.polar(x, y), tensors((3,), (3,)))}
    yield "ifft", both(lambda x: torch.fft.ifft(x), 6)
    yield "hfft", both(lambda x: torch.fft.hfft2(x), 4, 4)
    yield "ihfft", both(lambda x: torch.fft.ihfft(x), 6)
    yield "product", both(lambda x: x.conj() * x + 2j, 4, dtype=torch.complex64)
    yield "matmul", both(lambda x: x.mH @ x, 4, 3, dtype=torch.complex64)
    yield "imag", both(lambda x: x.conj().imag * 2, 4, dtype=torch.complex64)
    yield "dot", {"": (lambda x, y: torch.vdot(x, y) + torch.dot(x, y),
                       lambda: tuple(torch.randn(4, dtype=torch.complex64, requires_grad=True) for _ in "xy"))}
    yield "input", {"": (lambda x, y: torch.dot(x, y), lambda: (lazily_conjugated(), lazily_conjugated())),
                    "_other": (lambda x, y: x * y.abs(), lambda: (torch.randn(4, dtype=torch.complex64, requires_grad=True),
                                                                  lazily_conjugated()))}


def lazily_conjugated():
    x = torch.randn(4, dtype=torch.complex64, requires_grad=True)
    with torch.no_grad():
        return x.conj().requires_grad_()


def calls():
    """Which overload Python takes, with which arguments."""
    def integers(*shapes):
        return lambda: tuple(torch.randint(1, 9, shape) for shape in shapes)

    for name in ("radd", "rmul", "rsub", "rdiv", "rpow"):
        yield name, {"": (lambda x, y, name=name: getattr(x, f"__{name}__")(y), tensors((3,), (3,)))}
    for name in ("rand", "ror", "rxor", "rmod", "rfloordiv", "rlshift"):
        yield name, {"": (lambda x, y, name=name: getattr(x, f"__{name}__")(y), integers((3,), (3,)))}
    yield "number_first", {"": (lambda x: (5 & x, 5 | x, 5 ^ x, 5 << x, 5 // x, 5 % x), integers((3,)))}
    yield "statistics", both(lambda x: (torch.var(x), torch.std(x, 1), x.var(unbiased=False), torch.var_mean(x), torch.std_mean(x, 0)), 4, 3)
    yield "norm", both(lambda x: (torch.norm(x), x.norm(dim=1), x.norm(3, dim=0), x.norm(2.0), torch.norm(x, "nuc")), 4, 3)
    yield "scalar_tensor", {"": (lambda x: x + torch.scalar_tensor(-5, dtype=torch.float32), normal(3, grad=False))}
    yield "where", both(lambda x: x.where(x > 0, x * 2), 4, 3)
    yield "unravel_index", {"": (lambda x: torch.unravel_index(x, (3, 4)), integers((5,)))}
    yield "pooling", both(lambda x: torch.ops.aten.max_pool2d_with_indices_backward(torch.ones(1, 2, 1, 3), x, 3, 2, 0, 1, True,
                                                                                    torch.zeros(1, 2, 1, 3, dtype=torch.int64)), 1, 2, 3, 6)
    yield "bilinear", both(lambda x: F.upsample_bilinear(x, scale_factor=2), 1, 2, 3, 3)


def values():
    """Inputs that are made up must be what the operators take."""
    def numbers(*shapes):
        return lambda: tuple(torch.ones(shape, dtype=torch.int64) for shape in shapes)

    yield "multinomial", {"": (lambda x: torch.multinomial(x, 2), lambda: (torch.rand(4),))}
    yield "bernoulli", {"": (lambda x: torch.bernoulli(x), lambda: (torch.rand(4),))}
    yield "normal", {"": (lambda m, s: torch.normal(m, s), lambda: (torch.randn(4), torch.rand(4)))}
    yield "divisors", {"": (lambda x, y: (x // y, x % y, torch.fmod(x, y), torch.div(x, y, rounding_mode="trunc")), numbers((3,), (3,)))}
    yield "lu_solve", {"": (lambda x, a, p: torch.lu_solve(x, a, p),
                            lambda: (torch.randn(4, 2), torch.randn(4, 4), torch.tensor([1, 2, 3, 4], dtype=torch.int32)))}
    yield "index_of_number", {"": (lambda x, i: torch.index_select(x, 0, i) + torch.index_fill(x, 0, i, 2.0),
                                   lambda: (torch.tensor(1.5, requires_grad=True), torch.tensor([0])))}
    yield "index_reduce", {"": (lambda x, i, y: torch.index_reduce(x, 0, i, y, "amax"),
                                lambda: (torch.randn(4, 3, requires_grad=True), torch.tensor([0, 2]), torch.randn(2, 3)))}
    yield "take", {"": (lambda x, i: torch.take(x, i), lambda: (torch.randn(2, 3, requires_grad=True), torch.tensor([5, 0])))}
    yield "embedding_bag", {"": (lambda i, w, o: F.embedding_bag(i, w, o),
                                 lambda: (torch.tensor([1, 0, 2]), torch.randn(3, 4, requires_grad=True), torch.tensor([0, 2])))}
    yield "multilabel", {"": (lambda x, y: F.multilabel_margin_loss(x, y),
                              lambda: (torch.randn(1, requires_grad=True), torch.tensor([0])))}
    yield "segment_lengths", {"": (lambda x, n: torch.segment_reduce(x, "sum", lengths=n),
                                   lambda: (torch.randn(6, 2, requires_grad=True), torch.tensor([1, 2, 3])))}


def data():
    """Sizes and numbers that depend on data; traced with both captured."""
    yield "masked_select", {"": (lambda x, m: torch.masked_select(x, m),
                                 lambda: (torch.randn(3, 4, requires_grad=True), torch.ones(3, 4, dtype=torch.bool)))}
    yield "masked_select_wider", {"": (lambda x, m: torch.masked_select(x, m),  # no more than it has elements
                                       lambda: (torch.randn(3, requires_grad=True), torch.eye(4, 3) > 1))}
    yield "narrow", {"": (lambda x, i: torch.narrow(x, 1, i, 2), lambda: (torch.randn(3, 5), torch.tensor(2)))}
    yield "nonzero", {"": (lambda x: torch.nonzero(x, as_tuple=False), normal(4, 3, grad=False))}
    yield "argwhere", {"": (lambda x: torch.argwhere(x) * 2, normal(4, 3, grad=False))}
    yield "unique", {"": (lambda x: torch.unique(x), normal(4, grad=False))}
    yield "item", {"": (lambda x: torch.scalar_tensor(x.item(), dtype=torch.float64), lambda: (torch.tensor(0.5),))}
    yield "tensor_split", {"": (lambda x, i: torch.tensor_split(x, i),
                                lambda: (torch.randn(6, 2), torch.tensor([2, 3])))}
    yield "unique_in_backward", {"": (lambda x, i, v: torch.index_fill(x, 0, i, v),
                                      lambda: (torch.randn(3, 2, requires_grad=True), torch.tensor([0, 2]),
                                               torch.tensor(1.5, requires_grad=True)))}


def numpy():
    for name, function, arguments in numpy_programs.programs():
        yield name, {"": (function, lambda arguments=arguments: arguments)}


class Experts(nn.Module):
    """Rows sorted by expert, each times the weight of its own: an operator that transformers defines in Python."""

    def forward(self, x, weight, experts):
        order = torch.argsort(experts)
        counts = torch.histc(experts[order].float(), bins=4, min=0, max=3)
        ends = torch.cumsum(counts, 0, dtype=torch.int32)
        return torch.ops.transformers.grouped_mm_fallback(x[order], weight.transpose(-2, -1), offs=ends)


def library():
    import transformers.integrations.moe  # noqa: F401, which registers the operators

    def inputs(grad):
        return lambda: (torch.randn(6, 3, requires_grad=grad), torch.randn(4, 5, 3, requires_grad=grad),
                        torch.tensor([2, 0, 1, 0, 2, 2]))

    yield "grouped_mm", {"": (Experts(), inputs(True)), "_inference": (Experts(), inputs(False))}


def lengths():
    """Sizes that are tensors of one number, and places that are counted."""
    def chunked(x):
        count = torch.div(x.shape[0], 2, rounding_mode="trunc")
        return x.view(count, 2, -1) * 2, x.new_zeros((count + 1, 2))

    def last(mask):
        length = torch.div(mask.cumsum(-1)[:, -1] - 2, 2, rounding_mode="floor") + 1
        out = torch.zeros(2, 5, dtype=torch.int64)
        out[(torch.arange(2), length.to(torch.int64) - 1)] = 1
        return out.flip([-1]).cumsum(-1)

    yield "divided", both(chunked, 4, 3)
    yield "counted", {"": (last, lambda: (torch.ones(2, 10, dtype=torch.int64),))}


FACTOR = 0.75


def sizes():
    """Symbolic sizes and floats; compiled with dynamic=True."""
    yield "mean", {"": (lambda x: x.sum(0) / (x.shape[0] - 0.5), normal(4, 3, grad=False)), "_inference": (
        lambda x: x.sum(0) * (x.shape[0] / 3), normal(4, 3, grad=False))}
    yield "padded", both(lambda x: torch.fft.fft(x, n=10), 6)  # guards shut out twice the size
    yield "conjugated", both(lambda x: torch.fft.ifft(x), 6)
    yield "variance", {"_inference": (lambda x: torch.var(x, 0), normal(4, 3, grad=False))}
    yield "float", {"_inference": (lambda x: torch.full((3,), FACTOR) + x, normal(3, grad=False))}
    yield "fixed_in_backward", both(lambda x: torch.cumprod(x, 1), 4, 3)
    yield "factor", {"": (lambda x, s: (x * s).sin(), lambda: (torch.randn(4, 6, requires_grad=True), 0.5))}
    yield "divided", both(lambda x: (x * (1.0 / x.shape[0])).cos(), 4, 6)
    yield "expression", {"": (lambda x, s: torch.sin(x) * (s * 2.0 + 1) - s,
                              lambda: (torch.randn(4, 6, requires_grad=True), 0.25))}
    yield "short", {"": (lambda x, s: (x.half() * s).float() + s / x.shape[1],
                         lambda: (torch.randn(4, 6, requires_grad=True), 1.5))}
    yield "compared", {"": (lambda x, s: torch.where(x > s, x * s, x), lambda: (torch.randn(4, 6, requires_grad=True), 0.25))}
    yield "constant", {"": (lambda x, s: F.leaky_relu(x, s) * s, lambda: (torch.randn(4, 6, requires_grad=True), 0.125))}
    yield "follows", both(lambda x: torch.lu(x)[0], 3, 4)


def programs():
    for group in (upsampling, losses, sequences, products, recurrent, layouts, inputs, optimizers, checkpoints,
                  autograd_functions, casts, kept_graphs, transforms, factorizations, masked, windows, parts, conjugates, calls,
                  values, data, sizes, numpy, library, lengths):
        for name, variants in group():
            for variant, program in variants.items():
                yield f"{group.__name__}_{name}{variant}", program
