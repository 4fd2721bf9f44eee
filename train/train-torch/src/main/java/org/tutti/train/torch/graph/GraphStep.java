package org.tutti.train.torch.graph;

import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.GenericList;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;
import org.tutti.train.ProcessGroup;
import org.tutti.train.torch.graph.file.Node;
import org.tutti.train.torch.tensor.SynchronizedNorm;
import org.tutti.train.torch.tensor.Tensors;

/// The compiled call of a node.
sealed interface GraphStep
        permits GraphStep.OnNumbers, GraphStep.Operator, GraphStep.BatchNorm, GraphStep.Alias, HigherOrderStep {
    Node node();

    /// The slots to free after this step, because no later node uses the values.
    int[] released();

    void run(GraphRun run);

    /// @param constants null for an operand in a slot
    record OnNumbers(
            Node node,
            NumberFunctions operator,
            int[] slots,
            @Nullable Object[] constants,
            int result) implements GraphStep {
        private static final int[] NONE = {};

        @Override
        public int[] released() {
            return NONE; // numbers stay, for the comparison in the next run
        }

        @Override
        public void run(GraphRun run) {
            Object[] operands = new Object[slots.length];
            for (int i = 0; i < operands.length; i++) {
                Object constant = constants[i];
                operands[i] = constant == null ? run.number(slots[i]) : constant;
            }
            run.setNumber(result, operator.apply(operands));
        }
    }

    /// A call of libtorch's dispatcher.
    ///
    /// @param results the slot of each result; -1 for an unused result
    /// @param isNumber for each result, whether it is a number
    /// @param isList whether the operator returns a list, and the results are the elements
    record Operator(
            Node node,
            Operators.Operator operator,
            CompiledArgument[] arguments,
            int[] results,
            boolean[] isNumber,
            boolean isList,
            int[] released)
            implements GraphStep {
        @Override
        public void run(GraphRun run) {
            place(run);
            call(run);
        }

        private void place(GraphRun run) {
            CompiledArgument[] all = arguments;
            run.stack.resize(all.length);
            for (int i = 0; i < all.length; i++) all[i].place(run, i);
        }

        private void call(GraphRun run) {
            if (operator.check() != null) operator.check().accept(run.top);
            operator.handle().callBoxed(run.stack);
            int returned = isList ? 1 : operator.results().size();
            if (run.stack.size() != returned) {
                throw new IllegalStateException("returned " + run.stack.size() + " values instead of " + returned);
            }
            if (isList) takeApart(run);
            else for (int i = 0; i < results.length; i++) take(run, i);
            run.stack.resize(0);
        }

        private void take(GraphRun run, int i) {
            if (results[i] < 0) return;
            if (isNumber[i]) run.setNumber(results[i], run.top[i]);
            else run.slots[results[i]].swap(run.top[i]);
        }

        private void takeApart(GraphRun run) {
            try (PointerScope scope = new PointerScope()) {
                GenericList list = run.top[0].toList();
                if (list.size() != results.length) {
                    throw new IllegalStateException(
                            "returned " + list.size() + " tensors, and " + results.length + " at export");
                }
                for (int i = 0; i < results.length; i++) {
                    if (results[i] < 0) continue;
                    IValue element = list.get(i);
                    run.slots[results[i]].swap(element);
                }
            }
        }
    }

    /// A batch norm with running values. In training, the ranks may compute it together.
    record BatchNorm(Operator operator) implements GraphStep {
        private static final int X = 0,
                WEIGHT = 1,
                BIAS = 2,
                MEAN = 3,
                VARIANCE = 4,
                TRAINING = 5,
                MOMENTUM = 6,
                EPSILON = 7;

        @Override
        public Node node() {
            return operator.node();
        }

        @Override
        public int[] released() {
            return operator.released();
        }

        @Override
        public void run(GraphRun run) {
            operator.place(run);
            ProcessGroup group = run.conditions.batchNormGroup();
            if (group == null || !run.top[TRAINING].toBool()) operator.call(run);
            else runTogether(run, group);
        }

        private void runTogether(GraphRun run, ProcessGroup group) {
            try (PointerScope scope = new PointerScope()) {
                Tensor x = run.top[X].toTensor();
                Tensors.requireOnCpu("SyncBatchNorm", "its input", x);
                SynchronizedNorm norm =
                        new SynchronizedNorm(group, run.top[EPSILON].toDouble(), run.top[MOMENTUM].toDouble());
                Tensor result = norm.forward(
                        x,
                        optional(run.top[WEIGHT]),
                        optional(run.top[BIAS]),
                        run.top[MEAN].toTensor(),
                        run.top[VARIANCE].toTensor());
                run.copy(new IValue(result), operator.results()[0]);
            }
            run.stack.resize(0);
        }

        private static @Nullable Tensor optional(IValue value) {
            return value.isNone() ? null : value.toTensor();
        }
    }

    /// A step that changes a buffer in place, and runs only in training. In evaluation mode, the step is
    /// skipped, and the result is the unchanged buffer.
    record Alias(GraphStep training, ValueRef buffer, int result) implements GraphStep {
        @Override
        public Node node() {
            return training.node();
        }

        @Override
        public int[] released() {
            return training.released();
        }

        @Override
        public void run(GraphRun run) {
            if (run.conditions.isTraining()) training.run(run);
            else if (result >= 0) run.copy(buffer.in(run), result);
        }
    }
}
