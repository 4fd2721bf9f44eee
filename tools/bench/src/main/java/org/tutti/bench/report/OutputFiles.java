package org.tutti.bench.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.plan.BenchTest;
import org.tutti.bench.plan.Family;
import org.tutti.chart.Chart;
import org.tutti.launch.UsageException;

/// The output files of a measurement; null if not requested.
public final class OutputFiles {
    private final @Nullable Path csv, json, plot;

    /// @throws UsageException if a file cannot be written; checked before the measurement
    public OutputFiles(BenchTest test, @Nullable Path csv, @Nullable Path json, @Nullable Path plot) {
        this.csv = csv;
        this.json = json;
        this.plot = plot;
        check(test, "--csv", csv);
        check(test, "--json", json);
        check(test, "--plot", plot);
        if (plot != null && !Chart.canDraw(plot)) {
            throw new UsageException("--plot " + plot + ": give a name that ends in .svg or .png");
        }
    }

    private static void check(BenchTest test, String option, @Nullable Path file) {
        if (file == null) return;
        if (test.family() == Family.HELLO || test.family() == Family.RING) {
            throw new UsageException(option + " " + file + ": " + test.word() + " has no table");
        }
        Path directory = file.toAbsolutePath().getParent();
        if (directory == null || Files.isDirectory(file)) {
            throw new UsageException(option + " " + file + ": that is a directory; name a file");
        }
        if (!Files.isDirectory(directory)) {
            throw new UsageException(option + " " + file + ": there is no directory " + directory);
        }
        if (!Files.isWritable(Files.exists(file) ? file : directory)) {
            throw new UsageException(option + " " + file + ": it cannot be written");
        }
    }

    /// @param version the version of Tutti
    public void write(List<Result> results, String version) throws IOException {
        if (csv != null) Files.writeString(csv, CsvFile.of(results), StandardCharsets.UTF_8);
        if (json != null) JsonFile.write(Files.newOutputStream(json), results, version);
        if (plot != null) Curves.of(results).write(plot);
    }
}
