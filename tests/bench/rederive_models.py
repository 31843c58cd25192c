#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces models from random configurations in training and inference (aot_eager) and prints what `dynascope-cli
rederive` makes of each, as a Markdown table. Needs PyTorch and transformers.

    rederive_models.py path/to/dynascope-cli [NAME ...]
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def text_models():
    import torch
    import transformers as t
    ids = torch.randint(0, 96, (2, 12))
    small = dict(vocab_size=96, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4)
    gpt2 = t.GPT2LMHeadModel(t.GPT2Config(vocab_size=96, n_embd=32, n_layer=2, n_head=4, n_positions=64))
    yield "GPT-2", gpt2, dict(input_ids=ids, labels=ids, use_cache=False)
    llama = t.LlamaForCausalLM(t.LlamaConfig(**small, num_key_value_heads=2))
    yield "Llama", llama, dict(input_ids=ids, labels=ids, use_cache=False)
    yield "BERT", t.BertForMaskedLM(t.BertConfig(**small)), dict(input_ids=ids, labels=ids)
    t5 = t.T5ForConditionalGeneration(t.T5Config(vocab_size=96, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4,
                                                decoder_start_token_id=0))
    yield "T5", t5, dict(input_ids=ids, labels=ids, use_cache=False)
    mixtral = t.MixtralForCausalLM(t.MixtralConfig(**small, num_key_value_heads=2, num_local_experts=4))
    yield "Mixtral", mixtral, dict(input_ids=ids, labels=ids, use_cache=False)
    mamba = t.MambaForCausalLM(t.MambaConfig(vocab_size=96, hidden_size=32, num_hidden_layers=2, state_size=4))
    yield "Mamba", mamba, dict(input_ids=ids, labels=ids, use_cache=False)


def picture_models():
    import torch
    import transformers as t
    small = dict(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4)
    pictures = torch.randn(2, 3, 32, 32)
    vit = t.ViTForImageClassification(t.ViTConfig(**small, image_size=32, patch_size=8, num_labels=5))
    yield "ViT", vit, dict(pixel_values=pictures, labels=torch.tensor([0, 3]))
    swin = t.SwinForImageClassification(t.SwinConfig(image_size=32, patch_size=4, embed_dim=16, depths=[1, 1],
                                                     num_heads=[2, 4], window_size=4, num_labels=5))
    yield "Swin", swin, dict(pixel_values=pictures, labels=torch.tensor([0, 3]))
    clip = t.CLIPModel(t.CLIPConfig(text_config=dict(**small, vocab_size=96, max_position_embeddings=16, eos_token_id=95),
                                    vision_config=dict(**small, image_size=32, patch_size=8), projection_dim=16))
    yield "CLIP", clip, dict(input_ids=torch.randint(0, 95, (2, 12)), pixel_values=pictures, return_loss=True)
    whisper = t.WhisperForConditionalGeneration(t.WhisperConfig(
        vocab_size=96, d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, num_mel_bins=8, max_source_positions=16,
        max_target_positions=16, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1))
    yield "Whisper", whisper, dict(input_features=torch.randn(2, 8, 32), labels=torch.randint(3, 96, (2, 8)))


def own_models():
    import torch
    from torch import nn
    from torch.nn import functional as F

    class Residual(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
                                      nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width))

        def forward(self, x):
            return F.relu(self.body(x) + x)

    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.down, self.middle, self.up = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1), nn.Conv2d(16, 3, 1)

        def forward(self, x):
            skip = F.gelu(self.down(x))
            low = F.silu(self.middle(F.max_pool2d(skip, 2)))
            return self.up(torch.cat([skip, F.interpolate(low, scale_factor=2, mode="nearest")], 1))

    class Mixer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.tokens, self.channels = nn.LayerNorm(8), nn.Linear(6, 6), nn.Linear(8, 8)

        def forward(self, x):
            x = x + self.tokens(self.norm(x).transpose(1, 2)).transpose(1, 2)
            return x + F.dropout(F.gelu(self.channels(x)), 0.1, self.training)

    class GraphConvolution(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Linear(4, 4)

        def forward(self, x, source, target):
            return torch.zeros_like(x).index_add(0, target, self.weight(x)[source]).relu()

    class Cells(nn.Module):
        def __init__(self, cell):
            super().__init__()
            self.cell, self.tuple = cell, isinstance(cell, nn.LSTMCell)

        def forward(self, x):
            state = x.new_zeros(x.shape[1], 4)
            state = (state, state) if self.tuple else state
            for step in x:
                state = self.cell(step, state)
            return state[0] if self.tuple else state

    class Cache(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("keys", torch.zeros(8, 4))
            self.query = nn.Linear(4, 4)

        def forward(self, x, at):
            self.keys.index_copy_(0, at, x.detach())
            return self.query(x) @ self.keys.t()

    pictures = torch.randn(2, 3, 16, 16)
    yield "ResNet", nn.Sequential(nn.Conv2d(3, 8, 7, 2, 3), Residual(8), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                                  nn.Linear(8, 5)), (pictures,)
    yield "MobileNet-like", nn.Sequential(nn.Conv2d(3, 8, 1), nn.Conv2d(8, 8, 3, groups=8, padding=1), nn.BatchNorm2d(8),
                                          nn.Hardswish(), nn.ReLU6()), (pictures,)
    yield "U-Net", UNet(), (pictures,)
    yield "LSTM cells", Cells(nn.LSTMCell(3, 4)), (torch.randn(5, 2, 3),)
    yield "GRU cells", Cells(nn.GRUCell(3, 4)), (torch.randn(5, 2, 3),)
    yield "MLP-Mixer", Mixer(), (torch.randn(2, 6, 8),)
    yield "autoencoder", nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1), nn.Sigmoid(), nn.ConvTranspose2d(4, 3, 2, 2),
                                       nn.Tanh()), (pictures,)
    yield "graph convolution", GraphConvolution(), (torch.randn(5, 4), torch.tensor([0, 1, 2, 3]), torch.tensor([1, 2, 3, 4]))
    yield "cache", Cache(), (torch.randn(2, 4), torch.tensor([1, 5]))


def adam(parameter, gradient, mean, square, step):
    mean.lerp_(gradient, 0.1)
    square.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
    step.add_(1)
    parameter.addcdiv_(mean / (1 - 0.9 ** step), (square / (1 - 0.999 ** step)).sqrt().add_(1e-8), value=-0.001)


def runs():
    """Name, mode and what to run."""
    import torch

    def loss_of(result):
        loss = getattr(result, "loss", result)
        return loss if loss.dim() == 0 else loss.square().mean()

    def training(model, inputs):
        compiled = torch.compile(model.train(), backend="aot_eager")
        result = compiled(**inputs) if isinstance(inputs, dict) else compiled(*inputs)
        loss_of(result).backward()

    def inference(model, inputs):
        compiled = torch.compile(model.eval(), backend="aot_eager")
        with torch.no_grad():
            compiled(**inputs) if isinstance(inputs, dict) else compiled(*inputs)

    for models in (text_models, picture_models, own_models):
        torch.manual_seed(0)
        for name, model, inputs in models():
            yield name, "training", lambda model=model, inputs=inputs: training(model, inputs)
            yield name, "inference", lambda model=model, inputs=inputs: inference(model, inputs)
    states = [torch.rand(4, 3) for _ in range(4)] + [torch.tensor(1.0)]
    yield "Adam step", "inference", lambda: torch.compile(adam, backend="aot_eager")(*states)


def main():
    cli, wanted = sys.argv[1], set(sys.argv[2:])
    print("| model | mode | isomorphic | other verdicts |\n|---|---|---|---|")
    total = same = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TORCH_TRACE"] = folder
        import torch
        for name, mode, run in runs():
            if wanted and name not in wanted:
                continue
            torch._dynamo.reset()
            before = {log: log.stat().st_size for log in Path(folder).glob("*.log")}
            try:
                run()
            except Exception as error:  # the model itself does not run here
                print(f"| {name} | {mode} | - | not traced: {str(error).splitlines()[0][:100]} |")
                continue
            log, = Path(folder).glob("*.log")
            part = Path(folder, "part.txt")
            with log.open("rb") as stream:
                stream.seek(before.get(log, 0))
                part.write_bytes(stream.read())
            answer = subprocess.run([cli, "rederive", str(part), "--json"], capture_output=True, text=True)
            if not answer.stdout:
                print(f"| {name} | {mode} | - | {answer.stderr.strip()} |")
                continue
            stages = json.loads(answer.stdout)["stages"]
            good = [stage for stage in stages if stage["verdict"] == "isomorphic"]
            others = {f"{stage['stage']} {stage['verdict']}: {stage['reason']}" for stage in stages} - {
                f"{stage['stage']} isomorphic: {stage['reason']}" for stage in good}
            print(f"| {name} | {mode} | {len(good)} of {len(stages)} | {'; '.join(sorted(others))[:400]} |", flush=True)
            total, same = total + len(stages), same + len(good)
    print(f"\n{same} of {total} stages isomorphic.")


if __name__ == "__main__":
    main()
