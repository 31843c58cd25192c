# SPDX-License-Identifier: BSD-3-Clause
"""Models for rederive_models.py, built from random configurations: what is drawn from `pick` (a random.Random) is the
architecture, PyTorch's own generator gives the weights and inputs. Each function answers a module and the keyword
arguments or the tuple of positional arguments that it is called with. transformers is needed for the first ten only."""
import torch
from torch import nn
from torch.nn import functional as F


def text_sizes(pick):
    heads = pick.choice([2, 4])
    width = heads * pick.choice([8, 16])
    return dict(vocab_size=pick.choice([64, 96]), hidden_size=width, intermediate_size=2 * width,
                num_hidden_layers=pick.choice([1, 2]), num_attention_heads=heads,
                attn_implementation=pick.choice(["sdpa", "eager"]))


def token_ids(pick, vocabulary):
    return torch.randint(0, vocabulary, (pick.choice([1, 2, 3]), pick.choice([7, 12])))


def language_model(kind, config, pick):
    ids = token_ids(pick, config.vocab_size)
    return kind(config), dict(input_ids=ids, labels=ids, use_cache=False)


def gpt2(pick):
    import transformers as t
    heads = pick.choice([2, 4])
    config = t.GPT2Config(vocab_size=96, n_embd=heads * 8, n_layer=pick.choice([1, 2]), n_head=heads, n_positions=64,
                          attn_implementation=pick.choice(["sdpa", "eager"]),
                          activation_function=pick.choice(["gelu_new", "relu"]))
    return language_model(t.GPT2LMHeadModel, config, pick)


def llama(pick):
    import transformers as t
    config = t.LlamaConfig(**text_sizes(pick), num_key_value_heads=2, attention_bias=pick.choice([False, True]),
                           tie_word_embeddings=pick.choice([False, True]))
    return language_model(t.LlamaForCausalLM, config, pick)


def bert(pick):
    import transformers as t
    config = t.BertConfig(**text_sizes(pick), max_position_embeddings=pick.choice([16, 32]),
                          hidden_act=pick.choice(["gelu", "relu"]))
    ids = token_ids(pick, config.vocab_size)
    inputs = dict(input_ids=ids, labels=ids)
    if pick.choice([False, True]):
        inputs["attention_mask"] = torch.ones_like(ids)
    if pick.choice([False, True]):
        inputs["token_type_ids"] = torch.randint(0, 2, ids.shape)
    return t.BertForMaskedLM(config), inputs


def t5(pick):
    import transformers as t
    config = t.T5Config(vocab_size=96, d_model=pick.choice([16, 32]), d_kv=8, d_ff=48, num_layers=pick.choice([1, 2]),
                        num_heads=pick.choice([2, 4]), decoder_start_token_id=0,
                        feed_forward_proj=pick.choice(["relu", "gated-gelu"]))
    return language_model(t.T5ForConditionalGeneration, config, pick)


def mixtral(pick):
    import transformers as t
    config = t.MixtralConfig(**text_sizes(pick), num_key_value_heads=2, num_local_experts=pick.choice([2, 4]),
                             experts_implementation=pick.choice(["eager", "batched_mm", "grouped_mm"]))
    return language_model(t.MixtralForCausalLM, config, pick)


def mamba(pick):
    import transformers as t
    config = t.MambaConfig(vocab_size=96, hidden_size=pick.choice([16, 32]), num_hidden_layers=pick.choice([1, 2]),
                           state_size=pick.choice([4, 8]), conv_kernel=pick.choice([3, 4]))
    return language_model(t.MambaForCausalLM, config, pick)


def vision_sizes(pick):
    heads = pick.choice([2, 4])
    return dict(hidden_size=heads * 8, intermediate_size=48, num_hidden_layers=pick.choice([1, 2]),
                num_attention_heads=heads, attn_implementation=pick.choice(["sdpa", "eager"]))


def vit(pick):
    import transformers as t
    side = pick.choice([16, 32])
    model = t.ViTForImageClassification(t.ViTConfig(**vision_sizes(pick), image_size=side, patch_size=8, num_labels=5,
                                                    qkv_bias=pick.choice([False, True])))
    batch = pick.choice([1, 2])
    return model, dict(pixel_values=torch.randn(batch, 3, side, side), labels=torch.randint(0, 5, (batch,)))


def swin(pick):
    import transformers as t
    model = t.SwinForImageClassification(t.SwinConfig(
        image_size=32, patch_size=4, embed_dim=pick.choice([8, 16]), depths=[pick.choice([1, 2]), 1], num_heads=[2, 4],
        window_size=pick.choice([2, 4]), num_labels=5, drop_path_rate=pick.choice([0.0, 0.1])))
    return model, dict(pixel_values=torch.randn(2, 3, 32, 32), labels=torch.randint(0, 5, (2,)))


def clip(pick):
    import transformers as t
    sizes = vision_sizes(pick)
    model = t.CLIPModel(t.CLIPConfig(
        text_config=dict(**sizes, vocab_size=96, max_position_embeddings=16, eos_token_id=95),
        vision_config=dict(**sizes, image_size=32, patch_size=pick.choice([8, 16])), projection_dim=16))
    return model, dict(input_ids=torch.randint(0, 95, (2, pick.choice([8, 12]))),
                       pixel_values=torch.randn(2, 3, 32, 32), return_loss=True)


def whisper(pick):
    import transformers as t
    heads = pick.choice([2, 4])
    model = t.WhisperForConditionalGeneration(t.WhisperConfig(
        vocab_size=96, d_model=heads * 8, encoder_layers=pick.choice([1, 2]), decoder_layers=1,
        encoder_attention_heads=heads, decoder_attention_heads=heads, encoder_ffn_dim=48, decoder_ffn_dim=48,
        num_mel_bins=pick.choice([4, 8]), max_source_positions=16, max_target_positions=16, pad_token_id=0,
        bos_token_id=1, eos_token_id=2, decoder_start_token_id=1,
        attn_implementation=pick.choice(["sdpa", "eager"])))
    return model, dict(input_features=torch.randn(2, model.config.num_mel_bins, 32),
                       labels=torch.randint(3, 96, (2, pick.choice([6, 8]))))


def pictures(pick, side=16):
    return (torch.randn(pick.choice([1, 2, 4]), 3, side, side),)


class Residual(nn.Module):
    def __init__(self, width, out, stride, bottleneck):
        super().__init__()
        middle = out // 2 if bottleneck else out
        kernel = 1 if bottleneck else 3
        self.body = nn.Sequential(
            nn.Conv2d(width, middle, kernel, padding=kernel // 2, bias=False), nn.BatchNorm2d(middle),
            nn.ReLU(inplace=True), nn.Conv2d(middle, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out))
        self.short = nn.Identity()
        if stride != 1 or width != out:
            self.short = nn.Sequential(nn.Conv2d(width, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        return F.relu(self.body(x) + self.short(x))


def resnet(pick):
    width, bottleneck = pick.choice([8, 16]), pick.choice([False, True])
    return nn.Sequential(
        nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1),
        Residual(width, width, 1, bottleneck), Residual(width, 2 * width, 2, bottleneck), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(2 * width, 5)), pictures(pick, 32)


class Squeeze(nn.Module):
    """Squeeze and excitation."""

    def __init__(self, width):
        super().__init__()
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(width, width // 2, 1), nn.ReLU(),
                                  nn.Conv2d(width // 2, width, 1), nn.Hardsigmoid())

    def forward(self, x):
        return x * self.gate(x)


class Inverted(nn.Module):
    def __init__(self, width, expansion, kernel, activation, squeeze):
        super().__init__()
        wide = width * expansion
        self.body = nn.Sequential(
            nn.Conv2d(width, wide, 1, bias=False), nn.BatchNorm2d(wide), activation(inplace=True),
            nn.Conv2d(wide, wide, kernel, groups=wide, padding=kernel // 2, bias=False), nn.BatchNorm2d(wide),
            activation(inplace=True), Squeeze(wide) if squeeze else nn.Identity(), nn.Conv2d(wide, width, 1, bias=False),
            nn.BatchNorm2d(width))

    def forward(self, x):
        return x + self.body(x)


def mobilenet(pick):
    activation = pick.choice([nn.Hardswish, nn.ReLU6, nn.SiLU])
    block = lambda: Inverted(8, pick.choice([2, 4]), pick.choice([3, 5]), activation, pick.choice([False, True]))
    return nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), activation(), block(), block(),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(8, 5)), pictures(pick)


class UNet(nn.Module):
    def __init__(self, width, mode, norm):
        super().__init__()
        self.mode = mode
        self.down, self.middle = nn.Conv2d(3, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.GroupNorm(2, width) if norm == "group" else nn.BatchNorm2d(width)
        self.transposed = nn.ConvTranspose2d(width, width, 2, 2) if mode == "transposed" else None
        self.up = nn.Conv2d(2 * width, 3, 1)

    def forward(self, x):
        skip = F.gelu(self.norm(self.down(x)))
        low = F.silu(self.middle(F.max_pool2d(skip, 2)))
        if self.transposed is not None:
            low = self.transposed(low)
        elif self.mode == "bilinear":
            low = F.interpolate(low, scale_factor=2, mode="bilinear", align_corners=False)
        else:
            low = F.interpolate(low, scale_factor=2, mode="nearest")
        return self.up(torch.cat([skip, low], 1))


def unet(pick):
    return UNet(pick.choice([4, 8]), pick.choice(["nearest", "bilinear", "transposed"]),
                pick.choice(["group", "batch"])), pictures(pick)


class Cells(nn.Module):
    def __init__(self, cell, width):
        super().__init__()
        self.cell, self.width, self.tuple = cell, width, isinstance(cell, nn.LSTMCell)

    def forward(self, x):
        state = x.new_zeros(x.shape[1], self.width)
        state = (state, state) if self.tuple else state
        for step in x:
            state = self.cell(step, state)
        return state[0] if self.tuple else state


class Sequence(nn.Module):
    """nn.LSTM or nn.GRU, and a linear layer over its last step."""

    def __init__(self, layers, width):
        super().__init__()
        self.layers, self.out = layers, nn.Linear(width, 2)

    def forward(self, x):
        return self.out(self.layers(x)[0][:, -1])


class Gates(nn.Module):
    """An LSTM written out: one linear layer for all gates, taken apart by chunk."""

    def __init__(self, width):
        super().__init__()
        self.inputs, self.states = nn.Linear(3, 4 * width), nn.Linear(width, 4 * width, bias=False)

    def forward(self, x):
        hidden = cell = torch.zeros(x.shape[1], self.states.in_features)
        outputs = []
        for step in x.unbind(0):
            i, f, g, o = (self.inputs(step) + self.states(hidden)).chunk(4, 1)
            cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
            hidden = o.sigmoid() * cell.tanh()
            outputs.append(hidden)
        return torch.stack(outputs)


def recurrent(pick, cell, layers, forms):
    width, form = pick.choice([4, 6]), pick.choice(forms)
    inputs = (torch.randn(pick.choice([2, 5]), pick.choice([1, 2]), 3),)
    if form == "cells":
        return Cells(cell(3, width), width), inputs
    if form == "gates":
        return Gates(width), inputs
    depth = pick.choice([1, 2])
    return Sequence(layers(3, width, depth, batch_first=True, dropout=0.1 if depth > 1 else 0), width), inputs


def lstm(pick):
    return recurrent(pick, nn.LSTMCell, nn.LSTM, ["cells", "gates", "layers"])


def gru(pick):
    return recurrent(pick, nn.GRUCell, nn.GRU, ["cells", "layers"])


class MixerBlock(nn.Module):
    def __init__(self, patches, width, drop):
        super().__init__()
        self.first, self.second, self.drop = nn.LayerNorm(width), nn.LayerNorm(width), drop
        self.tokens = nn.Sequential(nn.Linear(patches, 2 * patches), nn.GELU(), nn.Linear(2 * patches, patches))
        self.channels = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        x = x + self.tokens(self.first(x).transpose(1, 2)).transpose(1, 2)
        return x + F.dropout(self.channels(self.second(x)), self.drop, self.training)


class Mixer(nn.Module):
    def __init__(self, width, blocks, drop):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 4, 4)
        self.blocks = nn.Sequential(*(MixerBlock(16, width, drop) for _ in range(blocks)))
        self.head = nn.Linear(width, 5)

    def forward(self, x):
        return self.head(self.blocks(self.patches(x).flatten(2).transpose(1, 2)).mean(1))


def mixer(pick):
    return Mixer(pick.choice([8, 12]), pick.choice([1, 2]), pick.choice([0.0, 0.1])), pictures(pick)


def autoencoder(pick):
    width, activation = pick.choice([4, 8]), pick.choice([nn.Sigmoid, nn.ReLU, nn.ELU, nn.LeakyReLU])
    return nn.Sequential(nn.Conv2d(3, width, 3, 2, 1), activation(), nn.Conv2d(width, 2 * width, 3, 2, 1), activation(),
                         nn.ConvTranspose2d(2 * width, width, 3, 2, 1, 1), activation(),
                         nn.ConvTranspose2d(width, 3, 2, 2), nn.Tanh()), pictures(pick)


class GraphConvolution(nn.Module):
    def __init__(self, width, mean):
        super().__init__()
        self.first, self.second, self.mean = nn.Linear(4, width), nn.Linear(width, 3), mean

    def gather(self, x, source, target):
        total = torch.zeros_like(x).index_add(0, target, x[source])
        if not self.mean:
            return total
        degree = torch.zeros(x.shape[0]).index_add_(0, target, torch.ones(target.shape[0]))
        return total / degree.clamp(min=1).unsqueeze(1)

    def forward(self, x, source, target):
        x = self.gather(self.first(x), source, target).relu()
        return self.gather(self.second(x), source, target)


def graph_convolution(pick):
    nodes, edges = pick.choice([5, 9]), pick.choice([8, 12])
    model = GraphConvolution(pick.choice([4, 8]), pick.choice([False, True]))
    return model, (torch.randn(nodes, 4), torch.randint(0, nodes, (edges,)), torch.randint(0, nodes, (edges,)))


class Cache(nn.Module):
    """Keys and values of earlier steps, written in place by position."""

    def __init__(self, length, width, heads):
        super().__init__()
        self.heads = heads
        self.register_buffer("keys", torch.zeros(heads, length, width))
        self.register_buffer("values", torch.zeros(heads, length, width))
        self.query, self.key, self.value = (nn.Linear(heads * width, heads * width) for _ in range(3))

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(0, 1)

    def forward(self, x, at):
        self.keys.index_copy_(1, at, self.split(self.key(x)).detach())
        self.values.index_copy_(1, at, self.split(self.value(x)).detach())
        scores = self.split(self.query(x)) @ self.keys.transpose(1, 2)
        return (scores.softmax(-1) @ self.values).transpose(0, 1).flatten(1)


def cache(pick):
    width, heads, steps = pick.choice([4, 6]), pick.choice([1, 2]), pick.choice([1, 3])
    return Cache(8, width, heads), (torch.randn(steps, width * heads), torch.randperm(8)[:steps])


def written_out_adam(parameter, gradient, mean, square, step, rate=0.001):
    mean.lerp_(gradient, 0.1)
    square.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
    step.add_(1)
    parameter.addcdiv_(mean / (1 - 0.9 ** step), (square / (1 - 0.999 ** step)).sqrt().add_(1e-8), value=-rate)


def adam_step(pick):
    """A function without arguments that does one step."""
    shapes = [(4, 3), (5,), (2, 3, 2)][:pick.choice([1, 2, 3])]
    form = pick.choice(["written out", "foreach", "single"])
    if form == "written out":
        states = [torch.rand(shapes[0]) for _ in range(4)] + [torch.tensor(1.0)]
        return torch.compile(written_out_adam, backend="aot_eager"), states
    parameters = [nn.Parameter(torch.randn(shape)) for shape in shapes]
    for parameter in parameters:
        parameter.grad = torch.randn_like(parameter)
    kind = pick.choice([torch.optim.Adam, torch.optim.AdamW])
    optimizer = kind(parameters, lr=torch.tensor(0.01) if form == "single" else 0.01, foreach=form == "foreach",
                     amsgrad=pick.choice([False, True]), weight_decay=pick.choice([0.0, 0.01]))
    optimizer.step()  # makes its state
    return torch.compile(optimizer.step, backend="aot_eager"), []


MODELS = {"GPT-2": gpt2, "Llama": llama, "BERT": bert, "T5": t5, "ViT": vit, "Swin": swin, "CLIP": clip,
          "Whisper": whisper, "Mixtral": mixtral, "Mamba": mamba, "ResNet": resnet, "MobileNet-like": mobilenet,
          "U-Net": unet, "LSTM": lstm, "GRU": gru, "MLP-Mixer": mixer, "autoencoder": autoencoder,
          "graph convolution": graph_convolution, "cache with index_copy_": cache}
