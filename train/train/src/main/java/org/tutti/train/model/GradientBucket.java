package org.tutti.train.model;

/// Gradients of some parameters of a model, which travel together. A model makes it of memory of its own, or
/// of memory that it is given; whoever averages gradients never looks into it.
///
///     | gradient | gradient | … | mark |       elements of one type, in the storage
///
/// In each step: [#put] each, [#isFinite], [#scale], [#setMark], then the storage is summed over all ranks, then
/// [#markCount], [#isFinite], [#scale], [#take] each. Parameters are counted by their places in the bucket.
///
/// Where a rank is alone nothing travels: there is no storage, and the bucket's numbers are the model's own
/// gradients.
public interface GradientBucket extends AutoCloseable {
    /// All that travels, the mark with it.
    TensorStorage storage();

    /// The model's gradient becomes a part of the bucket; zeros where there is none.
    void put(int place);

    /// The part of the bucket becomes the model's gradient, also where there was none.
    void take(int place);

    /// Whether all numbers of all gradients are finite.
    boolean isFinite();

    /// Whether all numbers of one gradient are.
    boolean isFinite(int place);

    /// Multiplies all numbers of all gradients.
    void scale(double factor);

    /// Sets the mark to one or zero.
    void setMark(boolean set);

    /// The mark: after the sum over all ranks, how many have set it.
    int markCount();

    /// The memory is about to be given back: what lies there of the model's gradients is moved.
    @Override
    void close();
}
