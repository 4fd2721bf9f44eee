package org.tutti.train.model;

import java.util.OptionalInt;

/// An adapter to a tensor library. Loaded as a service, and called whenever a group of ranks has been formed.
/// Therefore, if a program forms the group before it creates a tensor, the first operation of the library
/// already uses the number of threads that was passed to [#prepare].
public interface TensorLibrary {
    /// Returns the name of the library in messages.
    String name();

    /// Loads native code, and sets the number of threads of each operation.
    ///
    /// @param threads empty if the user has set the number elsewhere
    /// @throws org.tutti.train.TrainingException if a part is missing; the message contains instructions
    void prepare(OptionalInt threads);
}
