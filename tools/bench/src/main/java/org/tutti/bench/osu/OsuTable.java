package org.tutti.bench.osu;

import java.util.ArrayList;
import java.util.List;
import org.tutti.bench.measure.BenchMemory;
import org.tutti.bench.measure.Report;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.mpi.Mpi;

/// OSU's output: a title, the datatype, a column of 10 characters for the size followed by columns of 18
/// characters.
final class OsuTable {
    private static final String COLUMN = "%18.2f", WHOLE = "%18d", WORD = "%18s";

    private final Report report;
    private final boolean sized;
    private final StringBuilder head = new StringBuilder();
    private final StringBuilder format = new StringBuilder();
    private final List<String> keys = new ArrayList<>();

    OsuTable(BenchMemory memory, BenchOptions options, Report report, String title) {
        this.report = report;
        this.sized = options.test().isSized();
        Mpi mpi = memory.mpi();
        String where = memory.words();
        report.text("# Tutti " + title + " Test, " + mpi.world().size() + " ranks, " + where + ", "
                + mpi.engineDescription());
        if (sized) {
            head.append("%-10s".formatted("# Size"));
            format.append("%-10d");
            keys.add("bytes");
        }
    }

    /// Adds a line between the title and the columns.
    OsuTable line(String text) {
        report.text(text);
        return this;
    }

    /// Adds a column of numbers with two decimals.
    ///
    /// @param key the name in files; the suffix is the unit
    OsuTable column(String title, String key) {
        return add(title, key, COLUMN);
    }

    OsuTable wholeColumn(String title, String key) {
        return add(title, key, WHOLE);
    }

    OsuTable wordColumn(String title, String key) {
        return add(title, key, WORD);
    }

    private OsuTable add(String title, String key, String conversion) {
        // in a table without sizes, OSU's first column begins where the column of sizes would begin
        boolean leads = keys.isEmpty();
        head.append(leads ? "# " + title : "%18s".formatted(title));
        format.append(leads ? conversion.replace("18", String.valueOf(title.length() + 2)) : conversion);
        keys.add(key);
        return this;
    }

    OsuTable begin() {
        report.text(head.toString());
        report.table(format.toString(), keys.toArray(new String[0]));
        return this;
    }

    /// @param values in the order of the columns, without the size
    void row(long bytes, List<Object> values) {
        List<Object> all = new ArrayList<>();
        if (sized) all.add(bytes);
        all.addAll(values);
        report.row(all.toArray());
    }
}
