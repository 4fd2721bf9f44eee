package org.tutti.libmpi.raw;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.reflect.Member;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tutti.mpi.Comm;

/// docs/functions.md says of every function of the standard's chapters what it is in Tutti, and on each engine.
class FunctionsTableTest {
    private static final Set<String> WORDS = Set.of("native", "emulated", "local", "absent");
    private static final Pattern NAME = Pattern.compile("`(\\w+)(?:\\.(\\w+))?`");

    private record Row(String function, String section, String tutti, List<String> engines, String remark) {
        static List<Row> all() throws Exception {
            return Tables.rows("functions.md", "| `MPI_", 7).stream()
                    .map(c -> new Row(c.getFirst().replace("`", ""), c.get(1), c.get(2), c.subList(3, 6), c.get(6)))
                    .toList();
        }

        boolean isAbsent() {
            return engines.getFirst().equals("absent");
        }
    }

    /// The epoch that a window is in all its life, and the end of an access; where spawned processes meet parents that
    /// have not started them.
    private static final Set<String> PARTS_OF_OTHERS = Set.of(
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
    void itHasEveryFunctionOfTheChaptersOnceInTheOrderOfTheirSections() throws Exception {
        List<String> expected = new ArrayList<>();
        try (InputStream in = FunctionsTableTest.class.getResourceAsStream("functions-of-mpi-4.1.tsv")) {
            new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .forEach(expected::add);
        }
        assertThat(Row.all().stream().map(row -> row.section + "\t" + row.function))
                .containsExactlyElementsOf(expected);
    }

    @Test
    void itSaysWhyOfWhatIsAbsentAndOfWhatOfWhatIsEmulated() throws Exception {
        for (Row row : Row.all()) {
            assertThat(WORDS).as(row.function).containsAll(row.engines);
            assertThat(row.tutti.isEmpty()).as(row.function).isEqualTo(row.isAbsent());
            if (row.isAbsent()) assertThat(row.engines).as(row.function).containsOnly("absent");
            if (row.engines.contains("absent") || row.engines.contains("emulated")) {
                assertThat(row.remark).as(row.function).isNotEmpty();
            }
        }
    }

    @Test
    void everyNameInItIsPublic() throws Exception {
        for (Row row : Row.all()) {
            if (row.isAbsent()) continue;
            Matcher name = NAME.matcher(row.tutti);
            int names = 0;
            while (name.find()) {
                names++;
                Class<?> type = Class.forName(Comm.class.getPackageName() + "." + name.group(1));
                assertThat(type).as(row.function).isPublic();
                if (name.group(2) == null) continue;
                assertThat(Stream.<Member[]>of(type.getMethods(), type.getFields())
                                .flatMap(Arrays::stream)
                                .map(Member::getName))
                        .as(row.function)
                        .contains(name.group(2));
            }
            assertThat(names).as(row.function).isPositive();
        }
    }

    /// But for what the engine makes other things of.
    @Test
    void whatIsEmulatedOverALibraryIsNotBound() throws Exception {
        Set<String> bound = Tables.bound();
        bound.removeAll(PARTS_OF_OTHERS);
        for (Row row : Row.all()) {
            if (row.engines.subList(1, 3).contains("emulated"))
                assertThat(bound).doesNotContain(row.function);
        }
    }

    @Test
    void whatIsNativeIsBoundAndInTheLibrary() throws Exception {
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
