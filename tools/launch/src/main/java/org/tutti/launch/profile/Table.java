package org.tutti.launch.profile;

import java.util.ArrayList;
import java.util.List;

/// A table with columns as wide as the widest cell; all columns but the last are right-aligned.
final class Table {
    private static final String INDENT = "  ", GAP = "   ";

    private final List<List<String>> rows = new ArrayList<>();

    Table row(String... cells) {
        rows.add(List.of(cells));
        return this;
    }

    List<String> lines() {
        int columns = rows.stream().mapToInt(List::size).max().orElse(0);
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int c = 0; c < row.size(); c++)
                widths[c] = Math.max(widths[c], row.get(c).length());
        }
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder(INDENT);
            for (int c = 0; c < row.size(); c++) {
                String cell = row.get(c);
                boolean last = c == columns - 1;
                line.append(c == 0 ? "" : GAP);
                line.append(last ? "" : " ".repeat(widths[c] - cell.length())).append(cell);
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }
}
