package org.tutti.launch.run;

import org.jspecify.annotations.Nullable;

/// The options of torchrun, as specified by the user.
///
/// @param perNode `--nproc-per-node`: the number of ranks of each node
/// @param nodes `--nnodes`
/// @param nodeRank `--node-rank`: the number of this node
/// @param masterAddress `--master-addr`: where rank 0 accepts the connections of the other ranks
/// @param masterPort `--master-port`
public record Torchrun(
        @Nullable String perNode,
        @Nullable String nodes,
        @Nullable String nodeRank,
        @Nullable String masterAddress,
        @Nullable String masterPort) {
    /// No option is specified.
    public static final Torchrun NONE = new Torchrun(null, null, null, null, null);

    boolean isEmpty() {
        return perNode == null && nodes == null && nodeRank == null && masterAddress == null && masterPort == null;
    }
}
