package org.tutti.train;

/// The samples of one rank in one step.
///
/// @param samples the numbers of this rank's samples; may be empty
/// @param globalSize the number of samples of all ranks in this step
public record Batch(int[] samples, int globalSize) {
    public int size() {
        return samples.length;
    }
}
