package org.tutti.train.torch.graph.file;

import java.util.List;

/// The call of an operator.
///
/// @param target for example `torch.ops.aten.add.Tensor` or `_operator.mul`
/// @param outputs names, lists of names, or [Argument.None] for an unused result
/// @param source the line of Python with the call, such as `modeling_bert.py:412, self.dense(x)`; empty if not
///     stored
public record Node(String name, String target, List<Input> inputs, List<Argument> outputs, String source) {
    /// @param name the name of the operator's parameter; empty for a positional argument of an operator without
    ///     schema
    /// @param isKeyword whether Python passed the argument by name
    public record Input(String name, Argument value, boolean isKeyword) {}
}
