# SPDX-License-Identifier: Apache-2.0
# Exports a PyTorch model for GraphModel.read of Tutti. Needs PyTorch 2.9 or newer; tried with 2.13.
import warnings

import torch
from torch.export import Dim, export, save
from torch.utils._pytree import tree_map


def tutti_export(model, inputs, path, sequence=(), train=True):
    """Writes the model to path, a .pt2 file, and returns the exported program.

    inputs: the arguments of forward by name, as an example with at least 2 samples. If labels are among the
        arguments, a model of Hugging Face returns the loss.
    sequence: the names of inputs whose second dimension varies as well. A dict if the inputs have different lengths:
        {"input_ids": "source", "attention_mask": "source", "labels": "target"}.
    train: False only for a model that Java does not train. A model exported with True runs in both modes.
    """
    if not hasattr(inputs, "keys"):
        raise TypeError("inputs must be a dict: the arguments of forward by name")
    inputs = dict(inputs)  # a tokenizer returns a different kind of mapping, which export does not accept
    if isinstance(sequence, str):
        sequence = [sequence]
    lengths = sequence if isinstance(sequence, dict) else dict.fromkeys(sequence, "sequence")
    if set(lengths) - set(inputs):
        raise ValueError(f"sequence: no input {sorted(set(lengths) - set(inputs))}; the inputs are {list(inputs)}")
    before = [(m, m.training, getattr(getattr(m, "config", None), "use_cache", None)) for m in model.modules()]
    try:
        program = _export(model, inputs, lengths, path, train)
    finally:
        for module, training, use_cache in before:
            module.training = training
            if use_cache is not None:
                module.config.use_cache = use_cache
    save(program, path)
    return program


def _export(model, inputs, lengths, path, train):
    model.train(train)
    config = getattr(model, "config", None)
    # Other implementations choose experts in Python, or use operators that libtorch does not have.
    if getattr(model, "_can_set_experts_implementation", bool)():
        model.set_experts_implementation("batched_mm")
    for module in model.modules():
        if hasattr(module, "config"):
            module.config.use_cache = False  # training does not need keys and values as outputs
        # A graph has no random branches, and eval() in Java does not switch stochastic depth off.
        if (hasattr(module, "layerdrop") or hasattr(module, "layers") and "layerdrop" in str(config)
                or type(module).__name__.endswith(("DropPath", "StochasticDepth"))):
            module.training = False
    longest = getattr(config, "max_position_embeddings", None)

    def shapes(batch, length):
        def sizes(name, value):
            if not torch.is_tensor(value) or value.dim() == 0:
                return None
            return {0: batch, 1: length(lengths[name])} if name in lengths else {0: batch}

        return {name: tree_map(lambda value: sizes(name, value), tree) for name, tree in inputs.items()}

    dims = {name: Dim(name, min=2, max=longest) for name in lengths.values()}
    try:
        program = export(model, (), inputs, dynamic_shapes=shapes(Dim("batch", min=2), dims.get), strict=False)
    except Exception:  # the model relates the sizes in a different way, so PyTorch chooses the symbols
        automatic = shapes(Dim.AUTO, lambda name: Dim.AUTO)
        program = export(model, (), inputs, dynamic_shapes=automatic, strict=False)
    for node in program.graph.nodes:
        if getattr(node.target, "namespace", "aten") not in ("aten", "prims", "quantized", "higher_order", "_operator"):
            raise ValueError(f"{path}: libtorch does not have the operator {node.target}")
        if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()):
            if not {"train", "training", "dropout_p"} & {argument.name for argument in node.target._schema.arguments}:
                warnings.warn(f"{path}: {node.target} draws random numbers after eval() in Java, too")
        if node.op == "placeholder" and node.name in program.graph_signature.user_inputs:
            for i, size in enumerate(getattr(node.meta["val"], "shape", ())[:2 if node.name in lengths else 1]):
                if str(size).isdigit():
                    warnings.warn(f"{path}: dimension {i} of {node.name} is always {size}: the example has only one"
                                  " sample, or code of the model converts the size to a number, as len() does")
    return program
