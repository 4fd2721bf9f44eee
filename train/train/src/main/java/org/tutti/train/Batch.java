package org.tutti.train;

/// What one rank does in one step.
///
/// @param samples its samples, by number; possibly none
/// @param all how many samples all ranks have in this step
public record Batch(int[] samples, int all) {
    public int size() {
        return samples.length;
    }
}
