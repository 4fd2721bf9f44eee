# Writes the files in this directory, which PythonFilesTest reads, with Python's safetensors package
# (python3-safetensors 0.5.2 and python3-numpy of Debian 13 were used):
#
#     cd train/train/src/test/resources/safetensors && python3 write.py
import json, struct
import numpy
from safetensors import serialize_file
from safetensors.numpy import save_file


def bf16(values):
    """The upper halves of floats; the lower halves of these values are zero."""
    return b"".join(struct.pack("<f", v)[2:] for v in values)


def f16(values):
    return struct.pack("<%de" % len(values), *values)


def entry(dtype, shape, data):
    return {"dtype": dtype, "shape": shape, "data": data}


# Exact in every type. Each entry adds the type's maximum, or a number with a full mantissa.
COMMON = [0.0, 1.0, -2.5, 0.15625]
serialize_file(
    {
        "f64": entry("float64", [5], struct.pack("<5d", *COMMON, 2.0**53 - 1)),
        "f32": entry("float32", [5], struct.pack("<5f", *COMMON, 16777215.0)),
        "f16": entry("float16", [5], f16(COMMON + [65504.0])),
        "bf16": entry("bfloat16", [5], bf16(COMMON + [1.0078125])),
        "f8_e4m3": entry("float8_e4m3fn", [5], bytes([0x00, 0x38, 0xC2, 0x22, 0x7E])),
        "f8_e5m2": entry("float8_e5m2", [5], bytes([0x00, 0x3C, 0xC1, 0x31, 0x7B])),
        "i64": entry("int64", [2], struct.pack("<2q", -(2**63), 2**63 - 1)),
        "i32": entry("int32", [2], struct.pack("<2i", -(2**31), 2**31 - 1)),
        "i16": entry("int16", [2], struct.pack("<2h", -(2**15), 2**15 - 1)),
        "i8": entry("int8", [2], struct.pack("<2b", -128, 127)),
        "u8": entry("uint8", [2], bytes([0, 255])),
        "bool": entry("bool", [2], bytes([0, 1])),
    },
    "types.safetensors",
    {"format": "pt"},
)

save_file(
    {
        "scalar": numpy.array(7.5, dtype=numpy.float32),
        "empty": numpy.zeros((0, 3), dtype=numpy.float32),
        "also.empty": numpy.zeros((2, 0), dtype=numpy.int64),
        "model.layers.0.self_attn.q_proj.weight": numpy.arange(6, dtype=numpy.float32).reshape(2, 3),
        "model.layers.10.self_attn.q_proj.weight": numpy.arange(6, 12, dtype=numpy.float32).reshape(3, 2),
        'Größe "in" \\ 桁': numpy.array([-1], dtype=numpy.int32),
    },
    "shapes.safetensors",
    {"format": "np", "note": "Zahlen, 数\nzwei Zeilen"},
)

# the format of models with several files on the Hugging Face Hub
shards = {
    "model-00001-of-00002.safetensors": {
        "model.fc1.weight": entry("bfloat16", [3, 2], bf16([0.5, -1.5, 2.0, 3.0, -0.25, 1.0078125])),
        "model.fc1.bias": entry("float16", [3], f16([0.5, 0.25, -65504.0])),
    },
    "model-00002-of-00002.safetensors": {
        "model.fc2.weight": entry("float8_e4m3fn", [1, 3], bytes([0x38, 0xC2, 0x7E])),
        "model.fc2.bias": entry("float8_e5m2", [1], bytes([0x31])),
    },
}
places = {}
for file, tensors in shards.items():
    serialize_file(tensors, "sharded/" + file, {"format": "pt"})
    places.update({name: file for name in tensors})
size = sum(len(t["data"]) for tensors in shards.values() for t in tensors.values())
with open("sharded/model.safetensors.index.json", "w") as out:
    json.dump({"metadata": {"total_size": size}, "weight_map": dict(sorted(places.items()))}, out, indent=2)
    out.write("\n")
