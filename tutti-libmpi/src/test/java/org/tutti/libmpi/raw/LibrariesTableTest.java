package org.tutti.libmpi.raw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.libmpi.JavaProcess;
import org.tutti.mpi.bootstrap.Place;

/// docs/libraries.md says of every function that the engine binds which library has it.
class LibrariesTableTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "libraries.md");
    private static final Pattern FUNCTION = Pattern.compile("`(MPI_\\w+)`");
    private static final Set<String> CELLS = Set.of("native", "type", "divisor");

    /// Cells by function, and the row above them.
    private record Table(List<String> head, Map<String, List<String>> rows) {
        static Table read() throws Exception {
            List<String> head = List.of();
            Map<String, List<String>> rows = new TreeMap<>();
            for (String line : Files.readAllLines(DOCUMENT)) {
                if (line.startsWith("| function |")) head = cells(line);
                else if (line.startsWith("| `MPI_") && cells(line).size() == head.size()) {
                    rows.put(cells(line).getFirst().replace("`", ""), cells(line));
                }
            }
            return new Table(head, rows);
        }

        private static List<String> cells(String line) {
            return Stream.of(line.substring(1, line.lastIndexOf('|')).split("\\|"))
                    .map(String::strip)
                    .toList();
        }
    }

    @Test
    void itHasEveryFunctionThatTheEngineBindsAndNoOther() throws Exception {
        Table table = Table.read();
        assertThat(table.rows.keySet()).isEqualTo(bound());
        table.rows.forEach(
                (function, cells) -> assertThat(CELLS).as(function).containsAll(cells.subList(2, cells.size())));
    }

    /// What the other table names is made of bound ones, so it is not bound itself.
    @Test
    void whatTuttiMakesItselfIsNotBound() throws Exception {
        Set<String> bound = bound();
        for (String line : Files.readAllLines(DOCUMENT)) {
            if (!line.startsWith("| `MPI_")
                    || line.chars().filter(c -> c == '|').count() != 3) continue;
            FUNCTION.matcher(line.substring(0, line.indexOf('|', 1)))
                    .results()
                    .forEach(name -> assertThat(bound).doesNotContain(name.group(1)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"openmpi", "mpich"})
    void theInstalledLibraryHasWhatItsColumnSays(String library) throws Exception {
        Table table = Table.read();
        List<String> command = new ArrayList<>(List.of(Answers.class.getName()));
        command.addAll(table.rows.keySet());
        List<String> said =
                JavaProcess.run(Map.of(Place.LIBMPI, library), command).lines().toList();
        String version = said.getFirst();
        if (!version.startsWith("version ")) abort("skipped, because there is no " + library);
        int column = column(table, version);
        Set<String> expected = table.rows.entrySet().stream()
                .map(row -> (row.getValue().get(column).equals("native") ? "native " : "absent ") + row.getKey())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(new TreeSet<>(said.subList(1, said.size() - 1))).as(version).isEqualTo(expected);
    }

    /// The column of this version; of a library that nobody has asked yet there is none.
    private static int column(Table table, String version) {
        String name = version.replaceFirst("^version (Open MPI|MPICH) (?:v|Version: )([^ ,]+).*", "$1 $2");
        int column = table.head.indexOf(name);
        if (column < 0 && "true".equals(System.getenv("CI"))) throw new AssertionError("no column for " + name);
        if (column < 0) abort("skipped, because docs/libraries.md has no column for " + name);
        return column;
    }

    @ParameterizedTest
    @ValueSource(strings = {"openmpi", "mpich"})
    void aFunctionThatTheLibraryLacksFailsWithItsNameTheLibrarysAndTheWayOut(String library) throws Exception {
        String said = JavaProcess.run(Map.of(Place.LIBMPI, library), List.of(Answers.class.getName()));
        if (!said.startsWith("version ")) abort("skipped, because there is no " + library);
        assertThat(said.lines().toList().getLast())
                .matches("threw MPI_Nobody_has_it: this MPI library does not have it \\(.*, /.*libmpi.*\\); name one of"
                        + " MPI 3.1 or later with TUTTI_LIBMPI=/path/to/libmpi.so, or --mpi");
    }

    private static Set<String> bound() throws Exception {
        Set<String> names = new TreeSet<>();
        Path classes = Path.of(Link.class.getResource("Link.class").toURI()).getParent();
        try (Stream<Path> files = Files.list(classes)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (!name.endsWith(".class") || name.contains("-")) continue;
                // without its initialiser, which needs a library
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
