package org.tutti.libmpi.raw;

import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/// The data with which the tables of functions in docs/ are compared.
final class Tables {
    private Tables() {}

    /// The cells of the rows that begin with `begin`, in the tables of docs/`document` that have `columns`
    /// columns.
    static List<List<String>> rows(String document, String begin, int columns) throws Exception {
        List<List<String>> rows = new ArrayList<>();
        for (String line : lines(document)) {
            if (line.startsWith(begin) && cells(line).size() == columns) rows.add(cells(line));
        }
        return rows;
    }

    static List<String> lines(String document) throws Exception {
        return Files.readAllLines(Path.of("../..", "docs", document));
    }

    /// The lines of a resource next to this class, without comments.
    static List<String> resource(String name) throws Exception {
        try (InputStream in = Tables.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
        }
    }

    static List<String> cells(String line) {
        return Stream.of(line.substring(1, line.lastIndexOf('|')).split("\\|", -1))
                .map(String::strip)
                .toList();
    }

    /// The functions that the engine binds.
    static Set<String> bound() throws Exception {
        Set<String> names = new TreeSet<>();
        Path classes = Path.of(Link.class.getResource("Link.class").toURI()).getParent();
        try (Stream<Path> files = Files.list(classes)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (!name.endsWith(".class") || name.contains("-")) continue;
                // does not run the class initializer, which needs a library
                Class<?> type = Class.forName(
                        Link.class.getPackageName() + "." + name.replace(".class", ""),
                        false,
                        Link.class.getClassLoader());
                for (Field field : type.getDeclaredFields()) {
                    if (field.getType() == MethodHandle.class && field.getName().startsWith("MPI_")) {
                        names.add(field.getName());
                    }
                }
            }
        }
        return names;
    }
}
