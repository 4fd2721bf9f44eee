package org.tutti.train.model;

import java.util.OptionalInt;

/// An adapter to a tensor library; found as a service, and asked whenever a group of ranks has formed, which
/// is before the first tensor in a program that begins with its group.
public interface TensorLibrary {
    /// Loads what is native, and lets each operation use so many threads.
    ///
    /// @param threads empty where the user has said it elsewhere
    /// @throws org.tutti.train.TrainingException when something is missing, with what to add
    void prepare(OptionalInt threads);
}
