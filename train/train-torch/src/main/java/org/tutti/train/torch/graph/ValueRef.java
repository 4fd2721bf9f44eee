package org.tutti.train.torch.graph;

import org.bytedeco.pytorch.IValue;
import org.jspecify.annotations.Nullable;

/// A value of a graph: a tensor of the model, or a slot of the run.
///
/// @param bound the tensor of the model, or null
record ValueRef(int slot, @Nullable IValue bound) {
    IValue in(GraphRun run) {
        return bound == null ? run.slots[slot] : bound;
    }
}
