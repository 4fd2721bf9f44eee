# Writes ../resources/org/tutti/train/torch/graph: the exported programs that the tests read, and PyTorch's results,
# which architectures.py describes:
#
#     pip install torch==2.13.0 transformers==5.18.0 safetensors==0.8.0
#     cd train/train-torch/src/test/python && python3 fixtures.py
#
# Two programs are stored exactly as torch.export.save writes files. The other files are made smaller: deflated, with a
# single frame of each stack trace instead of all metadata, and without samples of the inputs.
import json
import re
import sys
import zipfile
from pathlib import Path

import torch

from architectures import ROOT, write

RESOURCES = ROOT / "train/train-torch/src/test/resources/org/tutti/train/torch/graph"
ORIGINAL = ["mlp", "lstm"]
REPACKED = ["dropout", "bert", "gpt2", "llama", "t5", "resnet", "swin", "mixtral", "deberta", "branches"]
LIMIT, TOTAL = 300_000, 1_500_000
OLDEST = (1980, 1, 1, 0, 0, 0)


def without_metadata(graph):
    """Reduces each stack trace to a single frame, the innermost one outside of PyTorch."""
    for node in graph["nodes"]:
        frames = re.findall(r'  File "[^\n]*\n[^\n]*', node["metadata"].get("stack_trace") or "")
        frames = [frame for frame in frames if "/torch/" not in frame] or frames
        node["metadata"] = {"stack_trace": frames[-1]} if frames else {}
        for argument in node["inputs"]:
            if "as_graph" in argument["arg"]:
                without_metadata(argument["arg"]["as_graph"]["graph"])


def repack(path):
    with zipfile.ZipFile(path) as source:
        entries = {info.filename: source.read(info) for info in source.infolist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target:
        for name, content in entries.items():
            if "/data/sample_inputs/" in name:
                continue
            if name.endswith("/models/model.json"):
                program = json.loads(content)
                without_metadata(program["graph_module"]["graph"])
                program["guards_code"] = []
                content = json.dumps(program, separators=(",", ":")).encode()
            target.writestr(zipfile.ZipInfo(name, OLDEST), content, zipfile.ZIP_DEFLATED, 9)


if __name__ == "__main__":
    torch.set_num_threads(1)
    RESOURCES.mkdir(parents=True, exist_ok=True)
    for each in sys.argv[1:] or ORIGINAL + REPACKED:
        print(write(each, RESOURCES))
        file = RESOURCES / f"{each}.pt2"
        if each in REPACKED:
            repack(file)
        if file.stat().st_size > LIMIT:
            sys.exit(f"{file}: {file.stat().st_size} bytes, the limit is {LIMIT}")
    total = sum(file.stat().st_size for file in RESOURCES.iterdir())
    print(f"{total} bytes in all")
    if total > TOTAL:
        sys.exit(f"the limit is {TOTAL}")
