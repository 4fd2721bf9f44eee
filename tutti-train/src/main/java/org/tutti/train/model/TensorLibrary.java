package org.tutti.train.model;

/// An adapter to a tensor library; found as a service, and asked whenever a group of ranks has formed, which
/// is before the first tensor in a program that begins with its group.
public interface TensorLibrary {
    /// Loads what is native, and lets each operation use so many threads, unless the user has said how many.
    ///
    /// @param cores this rank's share of its machine
    /// @throws org.tutti.train.TrainingException when something is missing, with what to add
    void prepare(int cores);
}
