package org.tutti.train.torch.graph;

import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;
import org.tutti.train.TrainingException;

/// The outputs of a model. The tensors belong to the caller, and are freed with the PointerScope in which the
/// model was run, for example at the end of a step.
public final class Outputs {
    private final String file;
    private final List<String> names;

    /// [Tensor], [Long], [Double], [Boolean], [String] or null.
    private final List<@Nullable Object> values;

    Outputs(String file, List<String> names, List<@Nullable Object> values) {
        this.file = file;
        this.names = names;
        this.values = values;
    }

    /// Returns the names in order. A name is a key of the dictionary or `ModelOutput` that Python's model
    /// returns; the name of a nested output has dots, such as `past.0`. An output of a tuple has a number as
    /// name, and a single output has the name `0`.
    public List<String> names() {
        return names;
    }

    /// @param name one of [#names]
    /// @throws TrainingException if the output does not exist, or is not a tensor
    public Tensor get(String name) {
        int index = names.indexOf(name);
        if (index < 0) {
            throw new TrainingException(
                    file + ": no output " + name + "; the model returns " + String.join(", ", names));
        }
        return get(index);
    }

    /// @param index from 0
    /// @throws TrainingException if the output does not exist, or is not a tensor
    public Tensor get(int index) {
        if (index < 0 || index >= names.size()) {
            throw new TrainingException(
                    file + ": no output " + index + "; the model returns " + String.join(", ", names));
        }
        if (values.get(index) instanceof Tensor tensor) return tensor;
        throw new TrainingException(
                file + ": output " + names.get(index) + " is " + values.get(index) + " and not a tensor");
    }
}
