# Writes ../resources/org/tutti/train/torch/graph/mlp-2.6.pt2 and mlp-2.8.pt2: mlp.pt2 in the layouts of PyTorch 2.6 and
# 2.8, with functions of PyTorch 2.13 that still support these layouts:
#
#     pip install torch==2.13.0
#     cd train/train-torch/src/test/python && python3 older_layouts.py
#
# Up to 2.7, the zip file has no root folder. In both layouts, files of torch.save contain the tensors.
import zipfile
from pathlib import Path

import torch
from torch._export.serde.schema import SCHEMA_VERSION
from torch._export.serde.serialize import serialize

RESOURCES = Path(__file__).parent / "../resources/org/tutti/train/torch/graph"
OLDEST = (1980, 1, 1, 0, 0, 0)


def write_2_6(artifact, path):
    entries = {
        "serialized_exported_program.json": artifact.exported_program,
        "serialized_state_dict.pt": artifact.state_dict,
        "serialized_constants.pt": artifact.constants,
        "serialized_example_inputs.pt": artifact.example_inputs,
        "version": ".".join(map(str, SCHEMA_VERSION)).encode(),
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(zipfile.ZipInfo(name, OLDEST), content)


def write_2_8(artifact, path):
    archive = torch._C.PyTorchFileWriter(str(path))
    entries = {
        "archive_format": b"pt2",
        "models/model.json": artifact.exported_program,
        "data/weights/model.pt": artifact.state_dict,
        "data/constants/model.pt": artifact.constants,
        "data/sample_inputs/model.pt": artifact.example_inputs,
        "archive_version": b"0",
    }
    for name, content in entries.items():
        archive.write_record(name, content, len(content))
    archive.write_end_of_file()


if __name__ == "__main__":
    written = serialize(torch.export.load(RESOURCES / "mlp.pt2"))
    write_2_6(written, RESOURCES / "mlp-2.6.pt2")
    write_2_8(written, RESOURCES / "mlp-2.8.pt2")
