package org.tutti.libmpi.raw;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tutti.mpi.Comm;
import org.tutti.spi.PredefinedErrorClass;

/// docs/errors.md explains each error class of Tutti, and why Tutti lacks some classes of the standard.
class ErrorsTableTest {
    private static final Pattern CLASS = Pattern.compile("`(ERR_\\w+)`");
    private static final Pattern OPERATION = Pattern.compile("`(\\w+)\\.(\\w+)`");

    /// Excluded from the comparison: a bound of the error codes, not an error class.
    private static final String NO_CLASS = "ERR_LASTCODE";

    private static List<List<String>> rows(int columns) throws Exception {
        return Tables.rows("errors.md", "| `ERR_", columns);
    }

    @Test
    void hasEachErrorClassOnceInOrder() throws Exception {
        assertThat(rows(4).stream().map(row -> row.getFirst().replace("`", "")))
                .containsExactlyElementsOf(
                        Stream.of(PredefinedErrorClass.values()).map(Enum::name).toList());
    }

    @Test
    void namesExistingOperations() throws Exception {
        for (List<String> row : rows(4)) {
            Matcher operations = OPERATION.matcher(row.getLast());
            int found = 0;
            for (; operations.find(); found++) {
                Class<?> owner = Class.forName(Comm.class.getPackageName() + "." + operations.group(1));
                String name = operations.group(2);
                assertThat(Arrays.stream(owner.getMethods())
                                .anyMatch(m -> m.getName().equals(name)))
                        .as(operations.group())
                        .isTrue();
            }
            assertThat(found).as(row.getFirst()).isPositive();
        }
    }

    /// The error classes of MPI 5.0, because the ABI of that version names all classes.
    @Test
    void hasEachErrorClassOfTheStandardInOneTable() throws Exception {
        Set<String> here = new TreeSet<>();
        for (PredefinedErrorClass c : PredefinedErrorClass.values()) here.add(c.name());
        Set<String> standard = new TreeSet<>();
        Path abi = Path.of("src/main/resources/org/tutti/libmpi/abi/mpi5.tsv");
        for (String line : Files.readAllLines(abi)) {
            if (line.startsWith("MPI_ERR_")) standard.add(line.substring(4, line.indexOf('\t')));
        }
        standard.removeAll(here);
        standard.remove(NO_CLASS);
        Set<String> named = new TreeSet<>();
        for (List<String> row : rows(2)) {
            Matcher classes = CLASS.matcher(row.getFirst());
            while (classes.find())
                assertThat(named.add(classes.group(1))).as(classes.group()).isTrue();
        }
        assertThat(named).isEqualTo(standard);
    }
}
