# SPDX-License-Identifier: BSD-3-Clause
"""Makes the trace that bench_info.py measures: one training step of a 24-layer Llama from a random configuration.

    TORCH_TRACE=DIR TORCHINDUCTOR_COMPILE_THREADS=1 python llama24.py inductor|aot_eager

With PyTorch 2.13 and Inductor the log has 12 MB.
"""
import sys

import torch
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(0)
config = LlamaConfig(num_hidden_layers=24, hidden_size=64, intermediate_size=128, num_attention_heads=4,
                     num_key_value_heads=2, vocab_size=512, max_position_embeddings=128, use_cache=False)
model = LlamaForCausalLM(config).train()
ids = torch.randint(0, config.vocab_size, (2, 32))
compiled = torch.compile(model, backend=sys.argv[1])
compiled(input_ids=ids, labels=ids).loss.backward()
