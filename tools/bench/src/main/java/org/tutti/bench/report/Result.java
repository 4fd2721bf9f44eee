package org.tutti.bench.report;

import java.util.ArrayList;
import java.util.List;
import org.tutti.bench.plan.BenchOptions;

/// The result of a measurement: the rows of the table.
public final class Result {
    private final BenchOptions options;
    private final int ranks;
    private String engine = "", device = "";
    private List<String> columns = List.of();
    private final List<List<Object>> rows = new ArrayList<>();

    public Result(BenchOptions options, int ranks) {
        this.options = options;
        this.ranks = ranks;
    }

    public BenchOptions options() {
        return options;
    }

    public int ranks() {
        return ranks;
    }

    /// Returns the engine's description.
    public String engine() {
        return engine;
    }

    /// Returns the names of the devices that store the data; empty for host memory.
    public String device() {
        return device;
    }

    /// Returns the column names; the suffix is the unit: `avg_us`.
    public List<String> columns() {
        return columns;
    }

    /// Returns the rows: a `Long`, `Double` or `String` for each column.
    public List<List<Object>> rows() {
        return rows;
    }

    /// Returns the message size of a row in bytes; 0 if messages have no size.
    public long bytes(List<Object> row) {
        int at = columns.indexOf("bytes");
        return at < 0 ? 0 : ((Number) row.get(at)).longValue();
    }

    /// Returns the main result of a row, the first column after the size.
    public double figure(List<Object> row) {
        return ((Number) row.get(columns.contains("bytes") ? 1 : 0)).doubleValue();
    }

    void engine(String description) {
        engine = description;
    }

    void device(String names) {
        device = names;
    }

    void columns(List<String> names) {
        columns = List.copyOf(names);
    }
}
