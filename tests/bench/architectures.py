# SPDX-License-Identifier: BSD-3-Clause
"""Tiny models with random weights of the architectures that transformers knows, for rederive_models.py
--architectures: the default configuration of each with its sizes cut down, and inputs to match."""
import inspect

import torch
import transformers
from transformers.models.auto import modeling_auto as auto
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES

# Architectures of different makes: decoders, encoders, both, mixtures of experts, state spaces, speech, vision.
CHOSEN = ["gpt2", "gpt_neo", "gptj", "gpt_neox", "opt", "bloom", "llama", "mistral", "qwen2", "qwen3", "gemma2",
          "phi", "falcon", "olmo2", "mixtral", "qwen2_moe", "granitemoe", "gpt_oss", "deepseek_v3", "mamba", "mamba2",
          "rwkv", "bert", "roberta", "albert", "distilbert", "electra", "deberta-v2", "mpnet", "longformer", "big_bird",
          "reformer", "xlnet", "nystromformer", "t5", "bart", "led", "pegasus", "m2m_100", "prophetnet", "wav2vec2",
          "hubert", "wavlm", "unispeech", "data2vec-audio", "sew", "whisper", "speech_to_text",
          "audio-spectrogram-transformer", "vit", "deit", "beit", "swin", "swinv2", "convnext", "resnet", "segformer",
          "dinov2", "vit_mae"]

# The task whose model is taken: the first of these that an architecture has.
CAUSAL, MASKED = auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES
CLASSES = (auto.MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES, auto.MODEL_FOR_AUDIO_CLASSIFICATION_MAPPING_NAMES)
TASKS = [auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES, auto.MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES,
         auto.MODEL_FOR_CTC_MAPPING_NAMES, CAUSAL, MASKED, *CLASSES, auto.MODEL_FOR_PRETRAINING_MAPPING_NAMES,
         auto.MODEL_MAPPING_NAMES]
ENCODERS = {"bert", "roberta", "electra", "big_bird", "megatron-bert", "reformer", "roformer"}  # of two tasks

SMALL = dict(
    vocab_size=64, hidden_size=16, d_model=16, n_embd=16, dim=16, embed_dim=8, embedding_size=16, word_embed_proj_dim=16,
    intermediate_size=24, ffn_dim=24, encoder_ffn_dim=24, decoder_ffn_dim=24, n_inner=24, d_ff=24, d_inner=24, hidden_dim=24,
    moe_intermediate_size=12, shared_expert_intermediate_size=12,
    num_hidden_layers=2, n_layer=2, n_layers=2, num_layers=2, encoder_layers=2, decoder_layers=2, num_encoder_layers=2,
    num_decoder_layers=2, decoder_num_hidden_layers=1,
    num_attention_heads=2, n_head=2, n_heads=2, num_heads=2, encoder_attention_heads=2, decoder_attention_heads=2,
    num_encoder_attention_heads=2, num_decoder_attention_heads=2, decoder_num_attention_heads=2, decoder_hidden_size=16,
    decoder_intermediate_size=24,
    num_key_value_heads=2, num_kv_heads=2, d_kv=8, d_head=8, head_dim=8, rotary_dim=4, qk_rope_head_dim=4, qk_nope_head_dim=8,
    v_head_dim=8, q_lora_rank=8, kv_lora_rank=8,
    num_local_experts=4, num_experts=4, n_routed_experts=4, n_group=2, topk_group=1, num_experts_per_tok=2,
    max_position_embeddings=64, n_positions=64, n_ctx=64, max_source_positions=64, max_target_positions=64,
    max_encoder_position_embeddings=64, max_decoder_position_embeddings=64, attention_window=4, window_size=4,
    image_size=32, patch_size=8, num_labels=5, projection_dim=16, encoder_seq_length=16,
    conv_dim=[8, 8, 8], conv_stride=[4, 2, 2], conv_kernel=[8, 3, 3], num_conv_pos_embeddings=8,
    num_conv_pos_embedding_groups=2, num_codevectors_per_group=8, codevector_dim=8, proj_codevector_dim=8,
    classifier_proj_size=16, mask_time_length=3, tdnn_dim=[8], num_mel_bins=8, max_length=64,
    conv_channels=16, input_feat_per_channel=8, depths=[1, 1], hidden_sizes=[8, 16],
    attention_hidden_size=16, ngram=2, num_buckets=8, block_size=4, num_random_blocks=1,
    feat_extract_norm="group", state_size=8, conv_kernel_size=3, num_landmarks=4, segment_means_seq_len=12,
    position_buckets=8, bos_token_id=1, eos_token_id=2, pad_token_id=0, decoder_start_token_id=1,
    sep_token_id=2)

OWN = {
    "swin": dict(depths=[1, 1], num_heads=[2, 4], patch_size=4),
    "swinv2": dict(depths=[1, 1], num_heads=[2, 4], patch_size=4),
    "gpt_neo": dict(attention_types=[[["global", "local"], 1]], num_layers=2, window_size=4),
    "mamba": dict(state_size=8, conv_kernel=4),
    "mamba2": dict(state_size=8, conv_kernel=4, num_heads=4, head_dim=8, n_groups=2, chunk_size=4),
    "rwkv": dict(attention_hidden_size=16, context_length=64),
    "convnext": dict(depths=[1, 1, 1, 1], hidden_sizes=[8, 8, 16, 16], patch_size=4),
    "resnet": dict(depths=[1, 1, 1, 1], hidden_sizes=[8, 8, 16, 16], embedding_size=8),
    "segformer": dict(depths=[1, 1], hidden_sizes=[8, 16], num_encoder_blocks=2, num_attention_heads=[1, 2],
                      patch_sizes=[7, 3], strides=[4, 2], sr_ratios=[2, 1], mlp_ratios=[2, 2]),
    "t5": dict(decoder_start_token_id=0),
    "reformer": dict(attn_layers=["local", "local"], axial_pos_shape=[4, 3], axial_pos_embds_dim=[8, 8],
                     local_attn_chunk_length=4, attention_head_size=8, feed_forward_size=24),
    "deberta-v2": dict(pad_token_id=0, pooler_hidden_size=16),
    "sew": dict(squeeze_factor=2),
    "data2vec-audio": dict(num_conv_pos_embeddings=2, conv_pos_kernel_size=3),
    "audio-spectrogram-transformer": dict(max_length=32, patch_size=4, frequency_stride=4, time_stride=4),
    "big_bird": dict(attention_type="original_full"),
    "nystromformer": dict(num_landmarks=12),  # with fewer, its own mask does not fit
    "opt": dict(word_embed_proj_dim=16),
    "speech_to_text": dict(conv_channels=16),
    "whisper": dict(max_source_positions=16, pad_token_id=0),
    "deepseek_v3": dict(first_k_dense_replace=1, head_dim=4),
    "gpt_oss": dict(layer_types=["sliding_attention", "full_attention"]),
    "gemma2": dict(query_pre_attn_scalar=8),
}


def every():
    return list(CONFIG_MAPPING_NAMES)


def configuration(name):
    kind = CONFIG_MAPPING[name]
    default = kind()
    has = set(inspect.signature(kind.__init__).parameters) | set(default.to_dict()) | {"num_labels"}

    def fits(key, value):
        """A list for a list, and a number for a number."""
        old = getattr(default, key, None)
        return isinstance(old, (list, tuple)) == isinstance(value, (list, tuple)) or key == "attention_window"

    sizes = {key: value for key, value in SMALL.items() if key in has and fits(key, value)}
    return kind(**dict(sizes, **OWN.get(name, {})))


def model_kind(name):
    for task in [MASKED, *TASKS] if name in ENCODERS else TASKS:
        if name in task:
            kind = task[name]
            return getattr(transformers, kind if isinstance(kind, str) else kind[0]), task
    raise ValueError("no model")


def build(name):
    """A module and its keyword arguments; those of training among them."""
    kind, task = model_kind(name)
    config = configuration(name)
    model = kind(config)
    takes = inspect.signature(model.forward).parameters
    main = model.main_input_name
    labels = torch.randint(0, 5, (2,))
    if main == "input_ids":
        given = torch.randint(3, 63, (2, 12))
        labels = given
    elif main == "pixel_values":
        given = torch.randn(2, getattr(config, "num_channels", 3), 32, 32)
    elif main == "input_values":
        given = torch.randn(2, 32, config.num_mel_bins) if task in CLASSES else torch.randn(2, 600)
        labels = labels if task in CLASSES else torch.randint(3, 60, (2, 4))
    elif main == "input_features":
        mels = getattr(config, "num_mel_bins", None) or config.input_feat_per_channel
        given = torch.randn(2, mels, 32) if name == "whisper" else torch.randn(2, 32, mels)
        labels = torch.randint(3, 60, (2, 6))
    else:
        raise ValueError(f"takes {main}")
    inputs = {main: given}
    if "labels" in takes:
        inputs["labels"] = labels
    if "use_cache" in takes and task is CAUSAL:
        inputs["use_cache"] = False
    return model, inputs
