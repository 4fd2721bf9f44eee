package mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import mpi.MpjTable.Row;
import org.junit.jupiter.api.Test;

/// The table in docs/from-mpj-express.md lists every member.
class MpjCoverageTest {
    private static final Path PAGE = Path.of(System.getProperty("basedir", "."), "../../docs/from-mpj-express.md");
    private static final Pattern NAME = Pattern.compile("`([^`]+)`");

    private static final int KEPT = 3;

    /// Returns the names in each column, by class.
    private static Map<String, List<Set<String>>> page() throws IOException {
        Map<String, List<Set<String>>> classes = new TreeMap<>();
        for (String line :
                Files.readString(PAGE).split("## Coverage")[1].lines().toList()) {
            if (!line.startsWith("| `")) continue;
            List<Set<String>> cells = Arrays.stream(line.substring(1).split("\\|"))
                    .map(MpjCoverageTest::names)
                    .toList();
            classes.put(cells.getFirst().iterator().next(), cells.subList(1, cells.size()));
        }
        return classes;
    }

    private static Set<String> names(String cell) {
        return NAME.matcher(cell)
                .results()
                .map((MatchResult r) -> r.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> members(String className, boolean leftOut) {
        return MpjTable.rows().stream()
                .filter(r -> r.className().equals(className) && !r.isClass() && r.isLeftOut() == leftOut)
                .map(r -> r.kind().equals("constructor") ? "new" : r.name())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void everyMemberIsInOneColumn() throws IOException {
        Map<String, List<Set<String>>> page = page();
        Set<String> classes = MpjTable.rows().stream()
                .filter(r -> r.isClass() && !r.isLeftOut())
                .map(Row::className)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(page.keySet()).isEqualTo(classes);
        page.forEach((className, columns) -> {
            List<String> kept = columns.subList(0, KEPT).stream()
                    .flatMap(Collection::stream)
                    .toList();
            assertThat(kept).as(className).doesNotHaveDuplicates();
            assertThat(new TreeSet<>(kept)).as(className).isEqualTo(members(className, false));
            assertThat(columns.get(KEPT)).as(className).isEqualTo(members(className, true));
        });
    }

    @Test
    void internalClassesAreCounted() throws IOException {
        long internal = MpjTable.rows().stream()
                .filter(r -> r.means().contains("public by accident"))
                .count();
        assertThat(Files.readString(PAGE)).contains(internal + " classes that were public by accident");
    }
}
