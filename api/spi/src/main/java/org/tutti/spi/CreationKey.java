package org.tutti.spi;

import java.nio.charset.StandardCharsets;

/// Identifies the creation of a communicator without a parent, so that creations by several threads of the same
/// processes cannot be confused.
///
/// @param process the process that drew the key; -1 for the key of a name
/// @param number different for each key that `process` draws; for a name, the 64-bit hash of the name
public record CreationKey(int process, long number) {
    private static final long FNV_OFFSET = 0xcbf29ce484222325L, FNV_PRIME = 0x100000001b3L;

    /// Returns the key of a name that the program has chosen. Processes that pass the same name are members of
    /// the same new communicator. The hash has 64 bits because names with equal `String.hashCode` are common
    /// ("Aa" and "BB").
    public static CreationKey of(String name) {
        long hash = FNV_OFFSET;
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) hash = (hash ^ b & 0xff) * FNV_PRIME;
        hash = (hash ^ hash >>> 32) * 0x9E3779B97F4A7C15L;
        return new CreationKey(-1, hash ^ hash >>> 29);
    }

    /// Returns whether the program has chosen the key as a name; such a key can occur again.
    public boolean isName() {
        return process < 0;
    }
}
