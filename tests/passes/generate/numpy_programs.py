# SPDX-License-Identifier: BSD-3-Clause
"""NumPy in compiled functions, for traced_programs.py: each (name, function, inputs)."""
import numpy as np
import torch


def counting(*shape, dtype=np.float32):
    return np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)


def random_numbers():
    return (np.random.rand(2, 3), np.random.uniform(-1, 1, (3,)), np.random.normal(0.5, 2.0, (2, 2)), np.random.randn(3),
            np.random.randint(0, 5, (4,)), np.random.random_sample((2,)))


def creation():
    return (np.zeros((2, 3)), np.ones(3, dtype=np.float32), np.full((2,), 3), np.arange(5), np.linspace(0, 1, 4), np.eye(3),
            np.arange(0, 4, 0.5), np.arange(3, dtype=np.int32), np.identity(2), np.tri(3), np.zeros(2, dtype=bool))


def like(x):
    return np.zeros_like(x), np.ones_like(x), np.full_like(x, 2), np.empty_like(x) * 0


def arithmetic(x, y):
    return x + y, x - y, x * 2, x / 3, x ** 2, 2 - x, -x, abs(x), x // 2.0, x % 2.0, x @ y.T, x + 1j


def compare(x, y):
    return x < y, x >= 0, x == y, x != 1, (x > 0) & (y > 0), (x > 0) | (y > 0), ~(x > 0), 2 < x


def integers(x):
    return (x + 1, x / 2, x // 2, x % 3, x * 1.5, x << 1, x.astype(np.float32), x.astype("float64"), x.sum(), x.mean(),
            x + np.float32(1), x ** 2)


def of_one(x):
    return (np.exp(x), np.sqrt(x), np.log(x + 1), np.sin(x), np.tanh(x), np.abs(x), np.negative(x), np.floor(x), np.sign(x),
            np.square(x), np.log1p(x), np.isnan(x), np.isfinite(x))


def of_one_integer(x):
    return np.exp(x), np.sqrt(x), np.square(x), np.absolute(x), np.reciprocal(x + 1), np.cbrt(x)


def of_two(x, y):
    return (np.maximum(x, y), np.minimum(x, 0), np.add(x, y), np.subtract(x, 1), np.multiply(x, y), np.divide(x, 2),
            np.power(x, 2), np.arctan2(x, y), np.hypot(x, y), np.logaddexp(x, y), np.fmax(x, 0.5), np.equal(x, y),
            np.greater(x, y), np.logical_and(x, y), np.remainder(x, 2), np.floor_divide(x, 2), np.mod(x, 3),
            np.copysign(x, y), np.matmul(x, y.T), np.not_equal(x, y))


def promotion(x, i, b):
    return (x + i, i + b, np.maximum(i, x), i * 2.5, b + 1, b + 1.5, x + True, np.minimum(i, 2), np.add(i, i, dtype=np.float32))


def reductions(x):
    return (x.sum(), x.sum(0), x.mean(axis=1), x.max(), x.min(1), x.std(), x.var(axis=0), np.prod(x, axis=1),
            np.sum(x, axis=(0, 1)), np.sum(x, axis=0, keepdims=True), x.argmax(), x.argmin(1), np.any(x > 0),
            np.all(x > 0, axis=0), np.cumsum(x), x.cumsum(1), np.ptp(x, axis=0), np.count_nonzero(x), np.median(x),
            np.amax(x), np.mean(x, keepdims=True), x.max(axis=-1, keepdims=True), np.percentile(x, 30),
            np.quantile(x, 0.5, axis=1))


def integer_reductions(i, b):
    return i.sum(), i.mean(), i.std(), b.sum(), b.any(), b.mean(), b.argmax(), i.prod(), np.cumsum(i, axis=0)


def shapes(x):
    return (x.reshape(3, 2), x.reshape((6,)), x.reshape(-1), x.T, x.transpose(), x.transpose(1, 0), x.ravel(), x.flatten(),
            np.expand_dims(x, 0), x[None].squeeze(0), np.swapaxes(x, 0, 1), np.transpose(x, (1, 0)), np.squeeze(x[None]),
            np.moveaxis(x, 0, 1), np.broadcast_to(x, (2, 2, 3)), np.atleast_2d(x), np.repeat(x, 2, axis=0),
            np.tile(x, (1, 2)), np.flip(x, 0), np.roll(x, 1, 0), x.copy())


def joins(x, y):
    return (np.concatenate([x, y]), np.concatenate((x, y), axis=1), np.stack([x, y]), np.vstack([x, y]), np.hstack([x, y]),
            np.split(x, 2)[0], np.array_split(x, 2)[1], np.column_stack([x, y]), np.append(x, y), np.dstack([x, y]),
            np.meshgrid(x[0], y[1])[0])


def indexing(x, i):
    return (x[0], x[:, 1], x[1:, ::2], x[i], x[..., 0], x[None, :], np.take(x, i, axis=0), np.where(x > 0, x, 0),
            np.where(x > 1, x, -x), x[::-1], np.take_along_axis(x, np.argsort(x, axis=1), axis=1), x[0, i])


def writes(x):
    x = x.copy()
    x[0] = 1
    x[:, 1] = 2.5
    x += 1
    return x


def sorting(x):
    return (np.sort(x), np.argsort(x), np.sort(x, axis=0), np.searchsorted(np.arange(4.0), x.ravel()), np.sort(x, None),
            np.diff(x))


def bounds(x):
    return (np.clip(x, 0, 1), x.clip(0, 2), x.clip(min=0.5), np.clip(x, None, 1), np.round(x, 2), x.round(1),
            np.around(x, 1), np.nan_to_num(x), np.isclose(x, x + 1))


def products(x, y):
    return (np.dot(x, y.T), np.einsum("ij,kj->ik", x, y), np.inner(x, y), np.outer(x[0], y[0]), np.trace(x), np.diag(x),
            np.tril(x), np.triu(x), x.dot(y.T), np.diagonal(x), np.vdot(x, y), np.tensordot(x, y, 2), np.kron(x, y))


def casts(x):
    return (np.asarray(x), np.array(x), np.asarray(x, dtype=np.float64), np.array([1, 2, 3]), np.array([1.5, 2]),
            np.array(3.0), np.float32(2) * x, np.array([1, 2], dtype=np.float32), np.ascontiguousarray(x.T),
            x.astype(np.int64), x.astype(bool))


def complexes(x):
    return x.real, (x + 1j).imag, np.conj(x), np.real(x), np.imag(x), x.astype(np.complex64)


def beside_tensors(x):
    n = x.numpy()
    return torch.from_numpy(np.exp(n) * 2), torch.as_tensor(n.sum(0)), torch.tensor(n.mean())


def in_training(x):
    n = x.detach().numpy()
    return x * torch.from_numpy(n / n.sum())


def programs():
    square, pair = counting(3, 3), (counting(2, 3), counting(2, 3) + 1)
    of_none = [random_numbers, creation]
    of_array = [like, of_one, reductions, shapes, writes, sorting, bounds, casts, complexes]
    inputs = {function: () for function in of_none} | {function: (pair[0],) for function in of_array} | {
        function: pair for function in (arithmetic, compare, of_two, joins)} | {
        integers: (counting(2, 3, dtype=np.int64),), of_one_integer: (counting(2, 3, dtype=np.int32),),
        promotion: (pair[0], counting(2, 3, dtype=np.int32), pair[0] > 2),
        integer_reductions: (counting(2, 3, dtype=np.int64), pair[0] > 2), indexing: (square, np.array([0, 2])),
        products: (square, square + 1), beside_tensors: (torch.randn(2, 3),),
        in_training: (torch.randn(2, 3, requires_grad=True),)}
    for function, arguments in inputs.items():
        yield function.__name__, function, arguments
