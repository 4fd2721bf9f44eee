package org.tutti.train.torch.graph;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.tutti.train.torch.graph.file.Node;

/// A graph in executable form: operators are resolved, and values have slots. Any number of threads may run it.
///
/// @param lists the number of lists of integers that the graph computes
/// @param inputs the slots of the inputs that are not bound to tensors of the model; -1 for a constant
/// @param kept the slots to free after a run: tensors that are outputs, and input tensors that no node uses
/// @param idle finished runs, for reuse; at most one for each thread that has run the graph
record CompiledGraph(
        String file,
        int slots,
        int stackSize,
        int lists,
        GraphStep[] steps,
        Input[] inputs,
        Operand[] outputs,
        int[] kept,
        Queue<GraphRun> idle) {
    CompiledGraph(
            String file,
            int slots,
            int stackSize,
            int lists,
            GraphStep[] steps,
            Input[] inputs,
            Operand[] outputs,
            int[] kept) {
        this(file, slots, stackSize, lists, steps, inputs, outputs, kept, new ConcurrentLinkedQueue<>());
    }

    record Input(int slot, boolean isNumber) {}

    /// A tensor, a number or a constant; the constant null is Python's `None`.
    sealed interface Operand {
        record OfTensor(ValueRef value) implements Operand {}

        record OfNumber(int slot) implements Operand {}

        record OfConstant(@Nullable Object value) implements Operand {}
    }

    GraphRun open(RunConditions conditions) {
        GraphRun run = idle.poll();
        if (run == null) return new GraphRun(this, conditions);
        run.conditions = conditions;
        return run;
    }

    void close(GraphRun run) {
        run.clear();
        idle.add(run);
    }

    /// Returns the file, the node and, if known, the line of Python, for a message.
    String where(Node node) {
        return file + ", node " + node.name() + (node.source().isEmpty() ? "" : " (" + node.source() + ")");
    }
}
