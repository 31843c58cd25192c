"""A block of attention and a gated MLP, trained one step and then run without gradients."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x):
        q, k, v = map(self.split, self.qkv(x).chunk(3, -1))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        y = scores.softmax(-1) @ v
        return self.out(y.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, width=32, heads=4):
        super().__init__()
        self.first, self.attention, self.second = nn.LayerNorm(width), Attention(width, heads), nn.LayerNorm(width)
        self.up, self.gate, self.down = nn.Linear(width, 64), nn.Linear(width, 64), nn.Linear(64, width)
        self.register_buffer("seen", torch.zeros(width))

    def forward(self, x):
        scale = torch.ones(x.shape[-1])
        x = x + self.attention(self.first(x)) * scale
        self.seen.add_(x.detach().mean((0, 1)))
        h = self.second(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


torch.manual_seed(0)
block = Block()
step = torch.compile(block)
x = torch.randn(2, 8, 32)
step(x).square().mean().backward()
with torch.no_grad():
    print(step(x).sum().item())
