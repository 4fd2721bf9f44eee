package org.tutti.bench.report;

import java.util.ArrayList;
import java.util.List;

/// CSV files (RFC 4180): a header, and one line for each row. A line begins with the parameters of the
/// measurement, so that files can be concatenated.
public final class CsvFile {
    private CsvFile() {}

    static String of(List<Result> results) {
        StringBuilder text = new StringBuilder();
        for (Result result : results) {
            if (text.length() == 0) {
                List<Object> names = new ArrayList<>(List.of("test", "ranks", "engine", "buffer", "type"));
                names.addAll(result.columns());
                append(text, names);
            }
            for (List<Object> row : result.rows()) {
                List<Object> line = new ArrayList<>(List.of(
                        result.options().test().word(),
                        result.ranks(),
                        result.engine(),
                        result.options().storage().word(),
                        result.options().type().word()));
                line.addAll(row);
                append(text, line);
            }
        }
        return text.toString();
    }

    /// Appends one line.
    public static void append(StringBuilder text, List<?> values) {
        String before = "";
        for (Object value : values) {
            text.append(before).append(quoted(String.valueOf(value)));
            before = ",";
        }
        text.append('\n');
    }

    private static String quoted(String value) {
        boolean plain = value.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return plain ? value : '"' + value.replace("\"", "\"\"") + '"';
    }
}
