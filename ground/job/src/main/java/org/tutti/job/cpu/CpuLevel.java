package org.tutti.job.cpu;

import org.jspecify.annotations.Nullable;

/// A level of the hardware to which ranks can be assigned or bound; an object of each level is contained in an
/// object of the next level.
public enum CpuLevel {
    HWTHREAD("hwthread"),
    CORE("core"),
    NUMA("numa"),
    SOCKET("socket"),
    NODE("node");

    private final String word;

    CpuLevel(String word) {
        this.word = word;
    }

    /// Returns the name in `--bind-to`.
    public String word() {
        return word;
    }

    /// Returns the level with this name, or null.
    public static @Nullable CpuLevel named(String word) {
        for (CpuLevel level : values()) if (level.word.equals(word)) return level;
        return null;
    }
}
