package org.tutti.train.model;

import java.util.OptionalInt;

/// An adapter to a tensor library. Loaded as a service, and called whenever a group of ranks has been formed.
/// If a program forms the group before it creates a tensor, the library therefore has the number of threads of
/// [#prepare] from the beginning.
public interface TensorLibrary {
    /// Returns the name of the library in messages.
    String name();

    /// Loads native code, and sets the number of threads of each operation.
    ///
    /// @param threads empty if the user has set the number elsewhere
    /// @throws org.tutti.train.TrainingException if a part is missing, with instructions
    void prepare(OptionalInt threads);
}
