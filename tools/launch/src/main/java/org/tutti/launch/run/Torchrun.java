package org.tutti.launch.run;

import org.jspecify.annotations.Nullable;

/// What the user said in torchrun's words.
///
/// @param perNode `--nproc-per-node`: how many ranks each node has
/// @param nodes `--nnodes`
/// @param nodeRank `--node-rank`: which of them this is
/// @param masterAddress `--master-addr`: where rank 0 waits for the others
/// @param masterPort `--master-port`
public record Torchrun(
        @Nullable String perNode,
        @Nullable String nodes,
        @Nullable String nodeRank,
        @Nullable String masterAddress,
        @Nullable String masterPort) {
    /// Nothing was said.
    public static final Torchrun NONE = new Torchrun(null, null, null, null, null);

    boolean isEmpty() {
        return perNode == null && nodes == null && nodeRank == null && masterAddress == null && masterPort == null;
    }
}
