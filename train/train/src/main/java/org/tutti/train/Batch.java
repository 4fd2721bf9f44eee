package org.tutti.train;

/// The samples of one rank in one step.
///
/// @param samples the indices of this rank's samples in the data set; may be empty
/// @param globalSize the number of samples of all ranks in this step
public record Batch(int[] samples, int globalSize) {
    public int size() {
        return samples.length;
    }
}
