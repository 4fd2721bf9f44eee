package org.tutti.train.model;

/// Gradients of some parameters of a model, sent together. The model allocates the memory, or uses given memory;
/// the code that averages gradients does not read this memory itself.
///
///     | gradient | gradient | … | mark |       elements of the same type, in the storage
///
/// The mark is one if the gradients of this rank contain a non-finite number, otherwise zero. The calls of a
/// step: [#put] for each gradient, [#isFinite], [#setMark], [#scale]; then the caller sums the storage over all
/// ranks; then [#markCount], [#isFinite], [#scale], and [#take] for each gradient. Parameters are identified by
/// the index in the bucket.
///
/// With one rank no data is sent: the bucket has no storage, and the bucket's numbers are the model's gradients.
public interface GradientBucket extends AutoCloseable {
    /// Returns the data to be sent, including the mark.
    TensorStorage storage();

    /// Copies the model's gradient to the bucket; zeros if none.
    void put(int place);

    /// Copies the bucket's part to the model's gradient, which is created if it does not exist.
    void take(int place);

    /// Returns whether all numbers of all gradients are finite.
    boolean isFinite();

    /// Returns whether all numbers of a gradient are finite.
    boolean isFinite(int place);

    /// Multiplies all numbers of all gradients.
    void scale(double factor);

    /// Sets the mark to one or zero.
    void setMark(boolean set);

    /// Returns the mark. After the sum over all ranks, the result is the number of ranks that have set the
    /// mark.
    int markCount();

    /// Called before the memory is freed. Moves the gradients that the model stores in this memory to other
    /// memory.
    @Override
    void close();
}
