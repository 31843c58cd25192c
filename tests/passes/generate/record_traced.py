# SPDX-License-Identifier: BSD-3-Clause
"""Traces small programs under aot_eager, in training and in inference, for tst_engine_rederive:
    record_traced.py [NAME or GROUP...]; tar --sort=name -cJf ../../data/captures/traced.tar.xz -C traced .
writes traced/NAME.log: what TORCH_TRACE wrote of each, without the records that the test does not read."""
import hashlib
import os
import re
import sys
import tempfile
from pathlib import Path

FOLDER = tempfile.mkdtemp()
os.environ["TORCH_TRACE"] = FOLDER
import torch

sys.path.insert(0, str(Path(__file__).parent))
import traced_programs

KEPT = {"dynamo_start", "dynamo_output_graph", "describe_storage", "describe_tensor", "describe_source", "aot_joint_graph",
        "aot_forward_graph", "aot_backward_graph", "aot_inference_graph", "dynamo_cpp_guards_str", "create_symbol", "artifact"}
ARTIFACTS = {"aot_forward_graph_fw_metadata"}


def record(line_and_payload):
    """The record as it goes into the log, or nothing."""
    head, _, body = line_and_payload.partition("\n")
    kind = re.search(r'\{"(\w+)"', head)
    if "str" in head.split("{", 1)[-1][:6]:  # an interned file name
        return neutral(line_and_payload)
    if not kind or kind[1] not in KEPT:
        return ""
    if kind[1] == "artifact" and not any(f'"name": "{name}"' in head for name in ARTIFACTS):
        return ""
    if kind[1] == "dynamo_cpp_guards_str":  # the check of the modes around the frame
        kept = ("GLOBAL_STATE", "grad_mode", ".size()[")
        body = "".join(line + "\n" for line in body.split("\n") if any(word in line for word in kept))
    given = re.search(r'"has_payload": "(\w+)"', head)
    if given:
        body = neutral(body)
        payload = "\n".join(line.removeprefix("\t") for line in body.removesuffix("\n").split("\n"))
        head = head.replace(given[1], hashlib.md5(payload.encode()).hexdigest())
    return neutral(head) + "\n" + body


def neutral(text):
    return text.replace(str(Path(__file__).parent) + "/", "").replace(torch.__path__[0], "torch")


def tensors(result):
    if isinstance(result, torch.Tensor):
        return [result]
    return [tensor for item in result for tensor in tensors(item)] if isinstance(result, (list, tuple)) else []


def main():
    wanted, written = set(sys.argv[1:]), Path("traced")
    written.mkdir(exist_ok=True)
    for name, (function, inputs) in traced_programs.programs():
        if wanted and name not in wanted and name.split("_")[0] not in wanted:
            continue
        torch._dynamo.reset()
        torch.manual_seed(0)
        before = {log: log.stat().st_size for log in Path(FOLDER).glob("*.log")}
        whole = not name.startswith("optimizers")  # an optimizer's step breaks the graph on either side
        config = torch._dynamo.config
        config.capture_scalar_outputs = config.capture_dynamic_output_shape_ops = name.startswith("data")
        dynamic = True if name.startswith("sizes") else None
        results = tensors(torch.compile(function, backend="aot_eager", fullgraph=whole, dynamic=dynamic)(*inputs()))
        differentiable = [(result.abs() if result.is_complex() else result).sum() for result in results if result.requires_grad]
        if differentiable:
            try:
                sum(differentiable).backward()
            except RuntimeError as error:  # traced for another layout than the kernel's: the graphs are there
                if "view size is not compatible" not in str(error):
                    raise
                print(f"{name}: PyTorch cannot run its backward graph")
        log, = Path(FOLDER).glob("*.log")
        with log.open() as stream:
            stream.seek(before.get(log, 0))
            records = re.split(r"(?m)^(?=V\d{4} )", stream.read())
        (written / f"{name}.log").write_text("".join(map(record, records)))


if __name__ == "__main__":
    main()
