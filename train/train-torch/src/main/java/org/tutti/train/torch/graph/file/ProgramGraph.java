package org.tutti.train.torch.graph.file;

import java.util.List;
import java.util.Map;

/// A graph of operator calls. Each value has a unique name and is assigned once.
///
/// @param inputs the names of the inputs, or constants
/// @param tensors the metadata of all tensors, by name
public record ProgramGraph(
        List<Argument> inputs, List<Argument> outputs, List<Node> nodes, Map<String, TensorMeta> tensors) {}
