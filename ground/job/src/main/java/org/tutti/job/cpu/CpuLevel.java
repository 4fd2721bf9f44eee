package org.tutti.job.cpu;

import org.jspecify.annotations.Nullable;

/// A kind of thing that ranks can be dealt out to, or bound to; each lies in one of the next.
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

    /// What `--bind-to` calls it.
    public String word() {
        return word;
    }

    /// Null when there is none of this name.
    public static @Nullable CpuLevel named(String word) {
        for (CpuLevel level : values()) if (level.word.equals(word)) return level;
        return null;
    }
}
