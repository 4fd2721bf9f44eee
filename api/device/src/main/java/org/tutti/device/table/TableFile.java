package org.tutti.device.table;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Reads tables that are resources: lines of cells, separated by tabs. Lines with `#` are comments, the first
/// other line has the names of the columns, and `-` is an empty cell.
///
///     # The functions of …
///     row     cuda      hip       arguments   use
///     INIT    cuInit    hipInit   i           -
final class TableFile {
    private static final String EMPTY = "-";

    /// The column with the names of enum constants.
    private static final String ROW = "row";

    private TableFile() {}

    /// Returns the lines: column to cell, without empty cells.
    ///
    /// @param owner the class next to which the resource is stored
    /// @throws IllegalStateException if the resource is missing, or the number of cells in a line is wrong
    static List<Map<String, String>> lines(Class<?> owner, String resource) {
        List<Map<String, String>> lines = new ArrayList<>();
        String[] columns = null;
        int number = 0;
        for (String line : text(owner, resource)) {
            number++;
            if (line.startsWith("#")) continue;
            String[] cells = line.split("\t", -1);
            if (columns == null) {
                columns = cells;
                continue;
            }
            if (cells.length != columns.length) {
                throw new IllegalStateException(
                        resource + ", line " + number + ": " + cells.length + " columns instead of " + columns.length);
            }
            Map<String, String> row = new HashMap<>();
            for (int i = 0; i < cells.length; i++) if (!cells[i].equals(EMPTY)) row.put(columns[i], cells[i]);
            lines.add(row);
        }
        return lines;
    }

    /// Returns a table that has one line for each constant of an enum.
    ///
    /// @throws IllegalStateException as [#lines]; also if a constant has no line or two lines
    static <E extends Enum<E>> Map<E, Map<String, String>> rows(Class<E> constants, Class<?> owner, String resource) {
        Map<E, Map<String, String>> rows = new EnumMap<>(constants);
        for (Map<String, String> line : lines(owner, resource)) {
            E row = Enum.valueOf(constants, line.getOrDefault(ROW, EMPTY));
            if (rows.put(row, line) != null) throw new IllegalStateException(resource + ": two lines for " + row);
        }
        for (E constant : constants.getEnumConstants()) {
            if (!rows.containsKey(constant)) throw new IllegalStateException(resource + ": no line for " + constant);
        }
        return rows;
    }

    private static List<String> text(Class<?> owner, String resource) {
        try (InputStream in = owner.getResourceAsStream(resource)) {
            if (in == null) throw new IllegalStateException("table " + resource + " is missing from the jar");
            return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))
                    .lines()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(resource, e);
        }
    }
}
