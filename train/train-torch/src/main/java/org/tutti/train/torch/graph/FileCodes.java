package org.tutti.train.torch.graph;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The numbers that identify types, memory formats and layouts in exported files, and the corresponding numbers
/// of libtorch.
///
/// @see <a href="https://github.com/pytorch/pytorch/blob/v2.13.0/torch/_export/serde/schema.py">the numbers in
///     files</a>
final class FileCodes {
    private static final Map<Integer, Integer> TYPES = Map.ofEntries(
            Map.entry(1, 0),
            Map.entry(2, 1),
            Map.entry(3, 2),
            Map.entry(4, 3),
            Map.entry(5, 4),
            Map.entry(6, 5),
            Map.entry(7, 6),
            Map.entry(8, 7),
            Map.entry(9, 8),
            Map.entry(10, 9),
            Map.entry(11, 10),
            Map.entry(12, 11),
            Map.entry(13, 15),
            Map.entry(28, 27),
            Map.entry(29, 24),
            Map.entry(30, 23),
            Map.entry(31, 26),
            Map.entry(32, 25),
            Map.entry(33, 44),
            Map.entry(34, 28),
            Map.entry(35, 29));

    /// Contiguous, channels last, channels last in three dimensions, preserve.
    private static final Map<Integer, Integer> MEMORY_FORMATS = Map.of(1, 0, 2, 2, 3, 3, 4, 1);

    private static final int STRIDED_IN_FILE = 7, STRIDED = 0;

    private FileCodes() {}

    /// Returns null for an unknown type.
    static @Nullable Integer type(int inFile) {
        return TYPES.get(inFile);
    }

    /// Returns null for an unknown format.
    static @Nullable Integer memoryFormat(int inFile) {
        return MEMORY_FORMATS.get(inFile);
    }

    /// Returns null for a layout other than strided, for example a sparse one.
    static @Nullable Integer layout(int inFile) {
        return inFile == STRIDED_IN_FILE ? STRIDED : null;
    }
}
