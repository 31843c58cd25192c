#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces small models with random weights, in training and in inference, for the table of docs/rederive.md.

    trace_models.py OUT [NAME...]     every model, or those named; one folder NAME_train and NAME_infer each
    trace_models.py --one NAME train|infer    this process alone; TORCH_TRACE says where to

Needs PyTorch, and the package transformers for the models that come from it. The backend is aot_eager: the graphs of
AOTAutograd without Inductor's decompositions.
"""
import os
import subprocess
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F


class Pick(nn.Module):
    """One output of a model that returns many."""

    def __init__(self, model, name, **arguments):
        super().__init__()
        self.model, self.name, self.arguments = model, name, arguments

    def forward(self, *values):
        return getattr(self.model(*values, **self.arguments), self.name)


def ids(*shape, vocabulary=128):
    return torch.randint(0, vocabulary, shape)


def gpt2():
    import transformers as t
    config = t.GPT2Config(n_layer=2, n_embd=32, n_head=4, n_positions=64, vocab_size=128, resid_pdrop=0, embd_pdrop=0,
                          attn_pdrop=0, use_cache=False)
    return Pick(t.GPT2LMHeadModel(config), "logits"), (ids(2, 16),)


def llama():
    import transformers as t
    config = t.LlamaConfig(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
                           num_key_value_heads=2, vocab_size=128, use_cache=False)
    return Pick(t.LlamaForCausalLM(config), "logits"), (ids(2, 16),)


def mixtral():
    import transformers as t
    config = t.MixtralConfig(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
                             num_key_value_heads=2, num_local_experts=4, vocab_size=128, use_cache=False)
    return Pick(t.MixtralForCausalLM(config), "logits"), (ids(2, 16),)


def mamba():
    import transformers as t
    config = t.MambaConfig(hidden_size=32, num_hidden_layers=2, state_size=8, vocab_size=128, use_cache=False)
    return Pick(t.MambaForCausalLM(config), "logits"), (ids(2, 16),)


def bert():
    import transformers as t
    config = t.BertConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, vocab_size=128,
                          hidden_dropout_prob=0, attention_probs_dropout_prob=0)
    return Pick(t.BertModel(config), "last_hidden_state"), (ids(2, 16),)


class Seq2Seq(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, source, target):
        return self.model(input_ids=source, decoder_input_ids=target, use_cache=False).logits


def t5():
    import transformers as t
    config = t.T5Config(d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, vocab_size=128, dropout_rate=0)
    return Seq2Seq(t.T5ForConditionalGeneration(config)), (ids(2, 12), ids(2, 8))


def whisper():
    import transformers as t

    class Speech(nn.Module):
        def __init__(self, model):
            super().__init__()
            self.model = model

        def forward(self, features, target):
            return self.model(input_features=features, decoder_input_ids=target, use_cache=False).logits

    config = t.WhisperConfig(vocab_size=128, num_mel_bins=8, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                             decoder_attention_heads=4, d_model=32, encoder_ffn_dim=64, decoder_ffn_dim=64,
                             max_source_positions=32, max_target_positions=32, pad_token_id=0, bos_token_id=1,
                             eos_token_id=2, decoder_start_token_id=1)
    return Speech(t.WhisperForConditionalGeneration(config)), (torch.randn(2, 8, 64), ids(2, 8))


def vit():
    import transformers as t
    config = t.ViTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=32,
                         patch_size=8, hidden_dropout_prob=0, attention_probs_dropout_prob=0)
    return Pick(t.ViTModel(config), "last_hidden_state"), (torch.randn(2, 3, 32, 32),)


def swin():
    import transformers as t
    config = t.SwinConfig(image_size=32, patch_size=2, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4,
                          hidden_dropout_prob=0, attention_probs_dropout_prob=0, drop_path_rate=0)
    return Pick(t.SwinModel(config), "last_hidden_state"), (torch.randn(2, 3, 32, 32),)


def clip():
    import transformers as t

    class Match(nn.Module):
        def __init__(self, model):
            super().__init__()
            self.model = model

        def forward(self, text, image):
            return self.model(input_ids=text, pixel_values=image).logits_per_image

    part = dict(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4)
    config = t.CLIPConfig(text_config=dict(part, vocab_size=128, max_position_embeddings=32, eos_token_id=127, bos_token_id=1),
                          vision_config=dict(part, image_size=32, patch_size=8), projection_dim=16)
    return Match(t.CLIPModel(config)), (ids(2, 8), torch.randn(2, 3, 32, 32))


class Block(nn.Module):
    """A residual block."""

    def __init__(self, channels, out, stride):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(channels, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU())
        self.second = nn.Sequential(nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out))
        self.short = nn.Identity() if channels == out and stride == 1 else nn.Conv2d(channels, out, 1, stride)

    def forward(self, x):
        return F.relu(self.second(self.first(x)) + self.short(x), inplace=True)


def resnet():
    return nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1), Block(8, 8, 1),
                         Block(8, 16, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(1), nn.Linear(16, 10)), (torch.randn(2, 3, 32, 32),)


class Inverted(nn.Module):
    """MobileNet's block: expand, one filter a channel, squeeze."""

    def __init__(self, channels, out, stride):
        super().__init__()
        wide = 4 * channels
        self.body = nn.Sequential(nn.Conv2d(channels, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.Hardswish(),
                                  nn.Conv2d(wide, wide, 3, stride, 1, groups=wide, bias=False), nn.BatchNorm2d(wide), nn.ReLU6(),
                                  nn.Conv2d(wide, out, 1, bias=False), nn.BatchNorm2d(out))
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(out, out, 1), nn.Hardsigmoid())
        self.same = channels == out and stride == 1

    def forward(self, x):
        y = self.body(x)
        y = y * self.gate(y)
        return x + y if self.same else y


def mobilenet():
    return nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), Inverted(8, 8, 1), Inverted(8, 16, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(1),
                         nn.Linear(16, 10)), (torch.randn(2, 3, 32, 32),)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        def twice(a, b): return nn.Sequential(nn.Conv2d(a, b, 3, 1, 1), nn.GroupNorm(2, b), nn.SiLU(), nn.Conv2d(b, b, 3, 1, 1), nn.SiLU())
        self.down, self.middle, self.up = twice(1, 8), twice(8, 16), twice(24, 8)
        self.out = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        wide = self.down(x)
        deep = self.middle(F.max_pool2d(wide, 2))
        back = F.interpolate(deep, scale_factor=2, mode="nearest")
        return self.out(self.up(torch.cat([wide, back], 1)))


def unet():
    return UNet(), (torch.randn(2, 1, 16, 16),)


class Recurrent(nn.Module):
    """A recurrent layer written out, so that its cells are in the graph."""

    def __init__(self, cell, size):
        super().__init__()
        self.cell, self.size, self.out = cell, size, nn.Linear(size, 4)

    def forward(self, x):
        state = x.new_zeros(x.shape[0], self.size)
        carried = (state, state) if isinstance(self.cell, nn.LSTMCell) else state
        for step in range(x.shape[1]):
            carried = self.cell(x[:, step], carried)
        return self.out(carried[0] if isinstance(carried, tuple) else carried)


def lstm():
    return Recurrent(nn.LSTMCell(8, 16), 16), (torch.randn(2, 5, 8),)


def gru():
    return Recurrent(nn.GRUCell(8, 16), 16), (torch.randn(2, 5, 8),)


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        def mlp(n): return nn.Sequential(nn.Linear(n, 2 * n), nn.GELU(), nn.Linear(2 * n, n))
        self.patch = nn.Conv2d(3, 16, 8, 8)
        self.norms = nn.ModuleList(nn.LayerNorm(16) for _ in range(4))
        self.tokens, self.channels = nn.ModuleList(mlp(16) for _ in range(2)), nn.ModuleList(mlp(16) for _ in range(2))
        self.out = nn.Linear(16, 10)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        for layer in range(2):
            x = x + self.tokens[layer](self.norms[2 * layer](x).transpose(1, 2)).transpose(1, 2)
            x = x + self.channels[layer](self.norms[2 * layer + 1](x))
        return self.out(x.mean(1))


def mixer():
    return Mixer(), (torch.randn(2, 3, 32, 32),)


def autoencoder():
    return nn.Sequential(nn.Conv2d(1, 8, 4, 2, 1), nn.ReLU(), nn.Conv2d(8, 16, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(16, 8, 4, 2, 1),
                         nn.ReLU(), nn.ConvTranspose2d(8, 1, 4, 2, 1), nn.Sigmoid()), (torch.rand(2, 1, 16, 16),)


class GraphConvolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 4)

    def hop(self, x, edges):
        source, target = edges
        return torch.zeros_like(x).index_add_(0, target, x[source]) + x

    def forward(self, x, edges):
        return self.second(self.hop(F.relu(self.first(self.hop(x, edges))), edges)).log_softmax(-1)


def graph_convolution():
    return GraphConvolution(), (torch.randn(10, 8), ids(2, 30, vocabulary=10))


class KeyCache(nn.Module):
    """One step of decoding into a cache that index_copy_ fills."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 16)
        self.register_buffer("keys", torch.zeros(2, 8, 16))
        self.register_buffer("values", torch.zeros(2, 8, 16))

    def forward(self, x, at):
        q, k, v = self.qkv(x).chunk(3, -1)
        self.keys.index_copy_(1, at, k.detach())
        self.values.index_copy_(1, at, v.detach())
        mask = torch.arange(8, device=x.device)[None, None] <= at[:, None, None]
        return self.out(F.scaled_dot_product_attention(q, self.keys, self.values, attn_mask=mask))


def cache():
    return KeyCache(), (torch.randn(2, 1, 16), torch.tensor([3]))


def adam():
    """A step of Adam as a function of parameters, gradients and state: writes all of them."""
    def step(weight, gradient, first, second):
        first.lerp_(gradient, 0.1)
        second.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
        weight.addcdiv_(first / (1 - 0.9), (second / (1 - 0.999)).sqrt_().add_(1e-8), value=-1e-3)
        return weight.norm()
    return step, tuple(torch.rand(8, 8) for _ in range(4))


MODELS = dict(gpt2=gpt2, llama=llama, bert=bert, t5=t5, vit=vit, swin=swin, clip=clip, whisper=whisper, mixtral=mixtral, mamba=mamba,
              resnet=resnet, mobilenet=mobilenet, unet=unet, lstm=lstm, gru=gru, mixer=mixer, autoencoder=autoencoder,
              graph_convolution=graph_convolution, adam=adam, cache=cache)
NO_TRAINING = {"adam"}  # it is itself a part of training


def one(name, mode):
    torch.manual_seed(0)
    model, inputs = MODELS[name]()
    if isinstance(model, nn.Module):
        model.train(mode == "train")
    compiled = torch.compile(model, backend="aot_eager")
    if mode == "train":
        compiled(*inputs).float().pow(2).mean().backward()
    else:
        with torch.no_grad():
            compiled(*inputs)


def main(arguments):
    if arguments[:1] == ["--one"]:
        return one(arguments[1], arguments[2])
    if not arguments:
        sys.exit(__doc__)
    for name in arguments[1:] or MODELS:
        for mode in ("train", "infer"):
            if mode == "train" and name in NO_TRAINING:
                continue
            folder = os.path.join(arguments[0], f"{name}_{mode}")
            os.makedirs(folder, exist_ok=True)
            done = subprocess.run([sys.executable, __file__, "--one", name, mode], env={**os.environ, "TORCH_TRACE": folder},
                                  capture_output=True, text=True)
            print(name, mode, "traced" if done.returncode == 0 else "failed: " + done.stderr.strip().splitlines()[-1], flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
