package org.tutti.bench.report;

import java.util.ArrayList;
import java.util.List;
import org.tutti.bench.plan.BenchOptions;

/// What one measurement gave: the rows of its table.
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

    /// The engine in its own words.
    public String engine() {
        return engine;
    }

    /// The devices whose memory was measured with, by their names; empty for memory of the host.
    public String device() {
        return device;
    }

    /// Their names; the end of one is its unit: `avg_us`.
    public List<String> columns() {
        return columns;
    }

    /// Each a `Long`, `Double` or `String` for each column.
    public List<List<Object>> rows() {
        return rows;
    }

    /// What the messages of a row were, in bytes; 0 where they have no size.
    public long bytes(List<Object> row) {
        int at = columns.indexOf("bytes");
        return at < 0 ? 0 : ((Number) row.get(at)).longValue();
    }

    /// The number that the test is about, the first behind the size.
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
