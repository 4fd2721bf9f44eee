package org.tutti.libmpi.raw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.libmpi.JavaProcess;

/// docs/libraries.md lists, for every function that the engine binds, the libraries that have it.
class LibrariesTableTest {
    private static final Set<String> CELLS = Set.of("native", "type", "divisor");

    /// Cells by function, and the header row.
    private record Table(List<String> head, Map<String, List<String>> rows) {
        static Table read() throws Exception {
            List<String> head = Tables.rows("libraries.md", "| function |", 10).getFirst();
            Map<String, List<String>> rows = new TreeMap<>();
            for (List<String> cells : Tables.rows("libraries.md", "| `MPI_", head.size())) {
                rows.put(cells.getFirst().replace("`", ""), cells);
            }
            return new Table(head, rows);
        }
    }

    @Test
    void hasExactlyTheFunctionsThatTheEngineBinds() throws Exception {
        Table table = Table.read();
        assertThat(table.rows.keySet()).isEqualTo(Tables.bound());
        table.rows.forEach(
                (function, cells) -> assertThat(CELLS).as(function).containsAll(cells.subList(2, cells.size())));
    }

    @ParameterizedTest
    @ValueSource(strings = {"openmpi", "mpich"})
    void theInstalledLibraryMatchesItsColumn(String library) throws Exception {
        Table table = Table.read();
        List<String> command = new ArrayList<>(List.of(Answers.class.getName()));
        command.addAll(table.rows.keySet());
        List<String> output = JavaProcess.run(Map.of(RankEnvironment.LIBMPI, library), command)
                .lines()
                .toList();
        String version = output.getFirst();
        if (!version.startsWith("version ")) abort("skipped, because there is no " + library);
        int column = column(table, version);
        Set<String> expected = table.rows.entrySet().stream()
                .map(row -> (row.getValue().get(column).equals("native") ? "native " : "absent ") + row.getKey())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(new TreeSet<>(output.subList(1, output.size() - 1)))
                .as(version)
                .isEqualTo(expected);
    }

    /// The column of this version; an unknown library has none.
    private static int column(Table table, String version) {
        String name = version.replaceFirst("^version (Open MPI|MPICH) (?:v|Version: )([^ ,]+).*", "$1 $2");
        int column = table.head.indexOf(name);
        if (column < 0 && "true".equals(System.getenv("CI"))) throw new AssertionError("no column for " + name);
        if (column < 0) abort("skipped, because docs/libraries.md has no column for " + name);
        return column;
    }

    @ParameterizedTest
    @ValueSource(strings = {"openmpi", "mpich"})
    void aMissingFunctionFailsWithANamedReason(String library) throws Exception {
        String output = JavaProcess.run(Map.of(RankEnvironment.LIBMPI, library), List.of(Answers.class.getName()));
        if (!output.startsWith("version ")) abort("skipped, because there is no " + library);
        assertThat(output.lines().toList().getLast())
                .matches(
                        "threw MPI_Nonexistent: this MPI library lacks the function \\(.*, /.*libmpi.*\\); select one of"
                                + " MPI 3.1 or later with TUTTI_LIBMPI=/path/to/libmpi.so, or --mpi");
    }
}
