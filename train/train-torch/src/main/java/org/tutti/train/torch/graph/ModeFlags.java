package org.tutti.train.torch.graph;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.train.torch.graph.file.Argument;
import org.tutti.train.torch.graph.file.Node;

/// The arguments that differ between training and evaluation. In the exported graph, these are constants.
final class ModeFlags {
    private static final String COUNTER = "num_batches_tracked", BATCH_NORM = "aten::batch_norm";

    /// The name of the parameter that selects training or evaluation, by operator; it is the same in all
    /// overloads.
    private static final Map<String, String> FLAGS = Map.ofEntries(
            Map.entry("aten::dropout", "train"),
            Map.entry("aten::dropout_", "train"),
            Map.entry("aten::feature_dropout", "train"),
            Map.entry("aten::feature_dropout_", "train"),
            Map.entry("aten::alpha_dropout", "train"),
            Map.entry("aten::alpha_dropout_", "train"),
            Map.entry("aten::feature_alpha_dropout", "train"),
            Map.entry("aten::feature_alpha_dropout_", "train"),
            Map.entry("aten::native_dropout", "train"),
            Map.entry(BATCH_NORM, "training"),
            Map.entry("aten::cudnn_batch_norm", "training"),
            Map.entry("aten::native_batch_norm", "training"),
            Map.entry("aten::_native_batch_norm_legit", "training"),
            Map.entry("aten::instance_norm", "use_input_stats"),
            Map.entry("aten::scaled_dot_product_attention", "dropout_p"),
            Map.entry("aten::lstm", "train"),
            Map.entry("aten::gru", "train"),
            Map.entry("aten::rnn_tanh", "train"),
            Map.entry("aten::rnn_relu", "train"),
            Map.entry("aten::rrelu", "training"),
            Map.entry("aten::rrelu_", "training"));

    /// Operators that use the means and variances of the batch even in evaluation if the node has no running
    /// values.
    private static final List<String> RUNNING = List.of(
            BATCH_NORM,
            "aten::cudnn_batch_norm",
            "aten::native_batch_norm",
            "aten::_native_batch_norm_legit",
            "aten::instance_norm");

    private boolean hasBatchNorm;
    private boolean isTrained;
    private boolean isEvaluated;

    /// Returns the value of an argument in evaluation mode, or null if the argument does not depend on the
    /// mode.
    ///
    /// @param operator without overload
    @Nullable
    Argument inEvaluation(String operator, Node node, Node.Input input) {
        if (!input.name().equals(FLAGS.get(operator))) return null;
        if (RUNNING.contains(operator) && !has(node, "running_mean")) return null;
        if (operator.equals(BATCH_NORM)) hasBatchNorm = true;
        switch (input.value()) {
            case Argument.Bool(boolean isOn) -> {
                if (isOn) isTrained = true;
                else isEvaluated = true;
                return new Argument.Bool(false);
            }
            case Argument.Real(double rate) -> {
                if (rate > 0) isTrained = true;
                return new Argument.Real(0);
            }
            default -> {
                return null;
            }
        }
    }

    private static boolean has(Node node, String input) {
        return node.inputs().stream()
                .anyMatch(i -> i.name().equals(input) && i.value() instanceof Argument.TensorValue);
    }

    /// Returns whether the node counts the batches of a batch norm. Such a node is skipped in evaluation mode.
    ///
    /// @param buffer the buffer that the node changes in place
    static boolean isCounter(String operator, String buffer) {
        return operator.equals("aten::add_") && (buffer.equals(COUNTER) || buffer.endsWith("." + COUNTER));
    }

    static boolean isBatchNorm(String operator, Node node) {
        return operator.equals(BATCH_NORM) && has(node, "running_mean") && has(node, "running_var");
    }

    /// Whether the graph has a batch norm with running values.
    boolean hasBatchNorm() {
        return hasBatchNorm;
    }

    /// Whether the graph has boolean flags, and all flags have the values for evaluation.
    boolean isExportedForEvaluation() {
        return isEvaluated && !isTrained;
    }

    /// Whether at least one flag has the value for training.
    boolean isExportedForTraining() {
        return isTrained;
    }
}
