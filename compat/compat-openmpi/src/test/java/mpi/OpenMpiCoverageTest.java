package mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import mpi.SurfaceTest.Row;
import org.junit.jupiter.api.Test;

/// The table in docs/from-openmpi-java.md lists every member in exactly one column.
class OpenMpiCoverageTest {
    private static final Path PAGE = Path.of(System.getProperty("basedir", "."), "../../docs/from-openmpi-java.md");
    private static final Pattern NAME = Pattern.compile("`([^`]+)`");

    /// The number of columns that list existing members, after the column of the class; and the index of the
    /// last of these columns, whose members throw. Omitted members are in the column that follows.
    private static final int KEPT = 4, THROWS = KEPT - 1;

    /// Returns the names in each column, by class.
    private static Map<String, List<List<String>>> page() throws IOException {
        Map<String, List<List<String>>> classes = new TreeMap<>();
        for (String line :
                Files.readString(PAGE).split("## Coverage")[1].lines().toList()) {
            if (!line.startsWith("| `")) continue;
            List<List<String>> cells = Arrays.stream(line.substring(1).split("\\|"))
                    .map(OpenMpiCoverageTest::names)
                    .toList();
            classes.put(cells.getFirst().getFirst(), cells.subList(1, cells.size()));
        }
        return classes;
    }

    private static List<String> names(String cell) {
        return NAME.matcher(cell).results().map((MatchResult r) -> r.group(1)).toList();
    }

    private static Set<String> members(List<Row> rows, String owner, boolean ofProgram) {
        return rows.stream()
                .filter(r -> r.owner().equals(owner) && r.isMember() && r.isOfProgram() == ofProgram)
                .map(r -> r.kind().equals("constructor") ? "new" : r.name())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void everyMemberIsInOneColumn() throws IOException {
        List<Row> rows = SurfaceTest.all();
        Map<String, List<List<String>>> page = page();
        Set<String> classes = rows.stream()
                .filter(r -> !r.isMember() && r.isOfProgram())
                .map(Row::owner)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(page.keySet()).isEqualTo(classes);
        page.forEach((owner, columns) -> {
            List<String> kept = new ArrayList<>();
            columns.subList(0, KEPT).forEach(kept::addAll);
            assertThat(kept).as(owner).doesNotHaveDuplicates();
            assertThat(new TreeSet<>(kept)).as(owner).isEqualTo(members(rows, owner, true));
            assertThat(new TreeSet<>(columns.get(KEPT))).as(owner).isEqualTo(members(rows, owner, false));
        });
    }

    @Test
    void throwingMembersAreListed() throws IOException {
        Set<String> thrown = new TreeSet<>();
        page().forEach((owner, columns) -> columns.get(THROWS).forEach(name -> thrown.add(owner + "." + name)));
        assertThat(thrown).isEqualTo(new TreeSet<>(SurfaceTest.UNSUPPORTED));
    }
}
