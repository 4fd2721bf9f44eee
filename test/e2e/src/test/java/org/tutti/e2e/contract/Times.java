package org.tutti.e2e.contract;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import org.tutti.e2e.job.Checkout;

/// Writes the duration of each contract to `target/contract-times.tsv`, so that contracts that have become
/// slower can be found. Tests do not assert durations.
final class Times {
    private static final Path FILE = Checkout.BUILD.resolve("contract-times.tsv");

    private Times() {}

    static synchronized void add(String way, int ranks, String contract, long nanos) {
        try {
            Files.createDirectories(FILE.getParent());
            Files.writeString(
                    FILE,
                    String.format(Locale.ROOT, "%s\t%d\t%s\t%.1f%n", way, ranks, contract, nanos * 1e-6),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
