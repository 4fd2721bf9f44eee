package org.tutti.job.environment;

/// The variables that torchrun sets for a process. `tutti run` also sets these variables if it is called with
/// torchrun's options.
public final class TorchVariables {
    private TorchVariables() {}

    /// The rank in the world, and the size of the world.
    public static final String RANK = "RANK", WORLD_SIZE = "WORLD_SIZE";

    /// The rank within the node, and the number of ranks of the node.
    public static final String LOCAL_RANK = "LOCAL_RANK", LOCAL_WORLD_SIZE = "LOCAL_WORLD_SIZE";

    /// The number of the rank's node.
    public static final String GROUP_RANK = "GROUP_RANK";

    /// The address at which rank 0 waits for the other ranks.
    public static final String MASTER_ADDR = "MASTER_ADDR", MASTER_PORT = "MASTER_PORT";

    /// The number of restarts of the group.
    public static final String RESTART_COUNT = "TORCHELASTIC_RESTART_COUNT";
}
