package org.tutti.train.torch.graph;

import org.bytedeco.pytorch.AutoGradMode;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.DeviceType;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.tutti.train.torch.graph.CompiledGraph.Operand;
import org.tutti.train.torch.graph.file.Node;

/// A node that runs a nested graph.
sealed interface HigherOrderStep extends GraphStep {
    /// Python's `torch.set_grad_enabled` around a part of the model.
    record GradMode(Node node, boolean isEnabled, CompiledGraph graph, Call call, int[] released)
            implements HigherOrderStep {
        @Override
        public void run(GraphRun run) {
            try (AutoGradMode mode = new AutoGradMode(isEnabled)) {
                call.run(graph, run);
            }
        }
    }

    /// Python's `torch.autocast` around a part of the model, for the device of the model.
    record AutocastRegion(
            Node node,
            ScalarType type,
            boolean isEnabled,
            boolean hasCache,
            CompiledGraph graph,
            Call call,
            int[] released)
            implements HigherOrderStep {
        @Override
        public void run(GraphRun run) {
            DeviceType device = run.conditions.device().type();
            boolean wasEnabled = torch.is_autocast_enabled(device);
            boolean hadCache = torch.is_autocast_cache_enabled();
            ScalarType typeBefore = torch.get_autocast_dtype(device);
            torch.increment_nesting();
            torch.clear_cache(); // has a different type if an outer autocast is open
            torch.set_autocast_enabled(device, isEnabled);
            torch.set_autocast_dtype(device, type);
            torch.set_autocast_cache_enabled(hasCache);
            try {
                call.run(graph, run);
            } finally {
                torch.set_autocast_cache_enabled(hadCache);
                torch.set_autocast_dtype(device, typeBefore);
                torch.set_autocast_enabled(device, wasEnabled);
                torch.decrement_nesting();
                torch.clear_cache();
            }
        }
    }

    /// `torch.cond`: runs one of the two graphs, with the same operands.
    record Cond(Node node, Operand predicate, CompiledGraph ifTrue, CompiledGraph ifFalse, Call call, int[] released)
            implements HigherOrderStep {
        @Override
        public void run(GraphRun run) {
            call.run(isTrue(run) ? ifTrue : ifFalse, run);
        }

        private boolean isTrue(GraphRun run) {
            switch (predicate) {
                case Operand.OfTensor(ValueRef value) -> {
                    try (Tensor tensor = value.in(run).toTensor()) {
                        return tensor.item_bool();
                    }
                }
                case Operand.OfNumber(int slot) -> {
                    return NumberFunctions.truth(run.number(slot));
                }
                case Operand.OfConstant(Object value) -> {
                    return value != null && NumberFunctions.truth(value);
                }
            }
        }
    }

    /// @param results the slot of each result; -1 for an unused result
    record Call(Operand[] operands, int[] results, boolean[] isNumber) {
        void run(CompiledGraph graph, GraphRun outer) {
            GraphRun inner = graph.open(outer.conditions);
            boolean isDone = false;
            try {
                for (int i = 0; i < operands.length; i++) pass(operands[i], outer, inner, graph.inputs()[i]);
                inner.execute();
                for (int i = 0; i < results.length; i++) {
                    if (results[i] >= 0) take(graph.outputs()[i], inner, outer, i);
                }
                isDone = true;
            } finally {
                if (isDone) graph.close(inner);
                else inner.discard();
            }
        }

        private static void pass(Operand operand, GraphRun outer, GraphRun inner, CompiledGraph.Input to) {
            if (to.slot() < 0) return;
            switch (operand) {
                case Operand.OfTensor(ValueRef value) -> inner.copy(value.in(outer), to.slot());
                case Operand.OfNumber(int slot) -> inner.setNumber(to.slot(), outer.number(slot));
                case Operand.OfConstant(Object value) -> {
                    if (value == null) throw new IllegalStateException("None is passed for a number");
                    inner.setNumber(to.slot(), value);
                }
            }
        }

        private void take(Operand output, GraphRun inner, GraphRun outer, int result) {
            switch (output) {
                case Operand.OfTensor(ValueRef value) -> outer.copy(value.in(inner), results[result]);
                case Operand.OfNumber(int slot) -> outer.setNumber(results[result], inner.number(slot));
                case Operand.OfConstant(Object value) -> {
                    if (value == null) throw new IllegalStateException("None is returned for a number");
                    outer.setNumber(results[result], value);
                }
            }
        }
    }
}
