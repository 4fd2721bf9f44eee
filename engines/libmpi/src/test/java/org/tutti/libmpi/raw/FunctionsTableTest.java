package org.tutti.libmpi.raw;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// docs/functions.md lists, for every function of the standard's chapters, the equivalent in Tutti and in each
/// engine.
class FunctionsTableTest {
    private static final Set<String> ENGINE_STATES = Set.of("native", "emulated", "local", "absent");
    private static final Pattern HINT = Pattern.compile("`([a-z]+(?:_[a-z]+)+)`");
    private static final Pattern KEY = Pattern.compile("\"([a-z]+(?:_[a-z]+)+)\"");

    /// Names that have the form of hints, but are not hints: a key of a process set, and a value of a hint.
    private static final Set<String> NO_HINTS = Set.of("mpi_size", "mpi_shared_memory");

    private record Row(String function, String section, String tutti, List<String> engines, String remark) {
        static List<Row> all() throws Exception {
            return Tables.rows("functions.md", "| `MPI_", 7).stream()
                    .map(c -> new Row(c.getFirst().replace("`", ""), c.get(1), c.get(2), c.subList(3, 6), c.get(6)))
                    .toList();
        }

        boolean isAbsent() {
            return engines.getFirst().equals("absent");
        }

        List<ApiName> names() {
            return ApiName.in(tutti);
        }
    }

    /// Functions that the engine uses only internally: for the permanent epoch of a window, for the end of an
    /// access, and to connect spawned processes with parents that have not started them.
    private static final Set<String> AUXILIARY = Set.of(
            "MPI_Intercomm_merge",
            "MPI_Open_port",
            "MPI_Close_port",
            "MPI_Comm_accept",
            "MPI_Comm_connect",
            "MPI_Win_lock_all",
            "MPI_Win_unlock_all",
            "MPI_Win_flush_local",
            "MPI_Win_flush_local_all");

    @Test
    void hasEveryFunctionOnceInTheOrderOfSections() throws Exception {
        List<String> expected = Tables.resource("functions-of-mpi-4.1.tsv");
        assertThat(Row.all().stream().map(row -> row.section + "\t" + row.function))
                .containsExactlyElementsOf(expected);
    }

    @Test
    void explainsAbsentAndEmulatedFunctions() throws Exception {
        for (Row row : Row.all()) {
            assertThat(ENGINE_STATES).as(row.function).containsAll(row.engines);
            assertThat(row.tutti.isEmpty()).as(row.function).isEqualTo(row.isAbsent());
            if (row.isAbsent()) assertThat(row.engines).as(row.function).containsOnly("absent");
            if (row.engines.contains("absent") || row.engines.contains("emulated")) {
                assertThat(row.remark).as(row.function).isNotEmpty();
            }
        }
    }

    @Test
    void everyNameInTheTableIsPublic() throws Exception {
        for (Row row : Row.all()) {
            long codeSpans = row.tutti.chars().filter(c -> c == '`').count() / 2;
            assertThat(row.names()).as("%s: %s", row.function, row.tutti).hasSize((int) codeSpans);
            assertThat(codeSpans == 0).as(row.function).isEqualTo(row.isAbsent());
            for (ApiName name : row.names()) {
                if (!name.isType())
                    assertThat(name.members()).as("%s: %s", row.function, name).isNotEmpty();
            }
        }
    }

    /// Checks remarks and paragraphs, too.
    @Test
    void everyMethodOnThePageIsPublic() throws Exception {
        int names = 0;
        for (ApiName name : ApiName.in(String.join("\n", Tables.lines("functions.md")))) {
            if (name.isType()) continue;
            assertThat(name.members()).as(name.toString()).isNotEmpty();
            names++;
        }
        assertThat(names).isGreaterThan(300);
    }

    /// The name of a function of the standard shows whether the function is nonblocking or persistent, and
    /// whether it sets or gets a value.
    @Test
    void eachMethodHasTheFormOfItsFunction() throws Exception {
        int checked = 0;
        for (Row row : Row.all()) {
            if (row.isAbsent()) continue;
            String form = FunctionForm.of(row.function);
            if (form.isEmpty()) continue;
            assertThat(row.names()).as("%s is %s", row.function, form).anyMatch(name -> FunctionForm.fits(form, name));
            checked++;
        }
        assertThat(checked).isGreaterThan(100);
    }

    @Test
    void functionsWithHintsHaveAMapOrARemark() throws Exception {
        List<String> takeHints = Tables.resource("functions-with-info.txt");
        assertThat(Row.all().stream().map(row -> row.function)).containsAll(takeHints);
        for (Row row : Row.all()) {
            if (row.isAbsent() || !takeHints.contains(row.function)) continue;
            boolean map = row.names().stream().anyMatch(name -> name.shape().contains("Map"));
            assertThat(map || row.remark.contains("no hints")).as(row.function).isTrue();
        }
    }

    @Test
    void theListOfHintsMatchesTheCode() throws Exception {
        Set<String> onThePage = new TreeSet<>();
        for (List<String> cells : Tables.rows("functions.md", "| `", 3)) {
            Matcher hint = HINT.matcher(cells.getFirst());
            while (hint.find()) onThePage.add(hint.group(1));
        }
        Set<String> inTheCode = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Path.of("../..", "api/mpi/src/main/java"))) {
            for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                Matcher key = KEY.matcher(Files.readString(file));
                while (key.find()) inTheCode.add(key.group(1));
            }
        }
        inTheCode.removeAll(NO_HINTS);
        assertThat(onThePage).isEqualTo(inTheCode);
    }

    /// Excluded are functions that the engine uses for other purposes, and functions that are emulated over one
    /// library and native over the other library.
    @Test
    void emulatedFunctionsAreNotBound() throws Exception {
        Set<String> bound = Tables.bound();
        bound.removeAll(AUXILIARY);
        for (Row row : Row.all()) {
            List<String> libraries = row.engines.subList(1, 3);
            if (libraries.contains("emulated") && !libraries.contains("native"))
                assertThat(bound).doesNotContain(row.function);
        }
    }

    @Test
    void nativeFunctionsAreBoundAndInTheLibrary() throws Exception {
        List<String> libraries = Tables.rows("libraries.md", "| function |", 10).getFirst();
        List<List<String>> has = Tables.rows("libraries.md", "| `MPI_", libraries.size());
        List<String> head = Tables.rows("functions.md", "| function |", 7).getFirst();
        Set<String> bound = Tables.bound();
        for (Row row : Row.all()) {
            for (int column = 1; column < 3; column++) {
                if (!row.engines.get(column).equals("native")) continue;
                int library = libraries.indexOf(head.get(3 + column));
                assertThat(bound).contains(row.function);
                assertThat(has)
                        .as("%s in %s", row.function, head.get(3 + column))
                        .anyMatch(cells -> cells.getFirst().equals("`" + row.function + "`")
                                && cells.get(library).equals("native"));
            }
        }
    }
}
