package org.tutti.bench.plan;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The number of iterations of a kernel: C needs about 0.1, 1 and 5 seconds on two ranks with one core each.
public enum KernelSize {
    SMALL(1),
    MEDIUM(10),
    LONG(50);

    private final int factor;

    KernelSize(int factor) {
        this.factor = factor;
    }

    /// Returns the number of iterations of a kernel.
    ///
    /// @throws IllegalStateException if the test is not a kernel
    public int iterations(BenchTest kernel) {
        return factor * kernel.smallIterations();
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// Returns all names, in the order of the sizes.
    public static List<String> words() {
        return Arrays.stream(values()).map(KernelSize::word).toList();
    }

    /// Returns null for an unknown name.
    public static @Nullable KernelSize named(String word) {
        for (KernelSize size : values()) if (size.word().equals(word)) return size;
        return null;
    }
}
