package org.tutti.job.environment;

/// What torchrun, and `tutti run` where it is spoken to in torchrun's words, tells a process.
public final class TorchVariables {
    private TorchVariables() {}

    /// In the world, and how many it has.
    public static final String RANK = "RANK", WORLD_SIZE = "WORLD_SIZE";

    /// Among the ranks of its node.
    public static final String LOCAL_RANK = "LOCAL_RANK", LOCAL_WORLD_SIZE = "LOCAL_WORLD_SIZE";

    /// The number of its node.
    public static final String GROUP_RANK = "GROUP_RANK";

    /// Where rank 0 waits for the others.
    public static final String MASTER_ADDR = "MASTER_ADDR", MASTER_PORT = "MASTER_PORT";

    /// How many times the group was started anew.
    public static final String RESTART_COUNT = "TORCHELASTIC_RESTART_COUNT";
}
