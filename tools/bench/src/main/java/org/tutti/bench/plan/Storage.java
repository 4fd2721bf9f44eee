package org.tutti.bench.plan;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The kind of memory of a message's data.
public enum Storage {
    /// A Java array.
    HEAP,
    /// Memory from `mpi.alloc`.
    SEGMENT,
    /// A direct buffer of `java.nio`, memory that was not allocated by Tutti.
    DIRECT,
    /// Memory of each rank's device.
    DEVICE,
    /// A value sent as an object.
    OBJECT;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// Returns null for an unknown name.
    public static @Nullable Storage named(String word) {
        for (Storage s : values()) if (s.word().equals(word)) return s;
        return null;
    }
}
