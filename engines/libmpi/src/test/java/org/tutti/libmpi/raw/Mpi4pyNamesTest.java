package org.tutti.libmpi.raw;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The tables at the end of docs/from-mpi4py.md contain each public name of mpi4py once, and the Java names in
/// the tables exist in the API.
class Mpi4pyNamesTest {
    private static final Pattern WORD = Pattern.compile("`([\\w.*]+)`");

    private enum Table {
        RULE("### Members with regular names"),
        OTHER("### Members with different names"),
        CONSTANTS("### Constants"),
        ABSENT("### Not in Tutti");

        final String heading;

        Table(String heading) {
            this.heading = heading;
        }

        /// The cells of the rows, without the header.
        List<List<String>> rows() throws Exception {
            List<String> lines = Tables.lines("from-mpi4py.md");
            int from = lines.indexOf(heading);
            assertThat(from).as(heading).isPositive();
            return lines.stream()
                    .skip(from + 1)
                    .takeWhile(line -> !line.startsWith("#"))
                    .filter(line -> line.startsWith("| `"))
                    .map(Tables::cells)
                    .toList();
        }
    }

    private static List<String> codeNames(String cell) {
        List<String> text = new ArrayList<>();
        Matcher word = WORD.matcher(cell);
        while (word.find()) text.add(word.group(1));
        return text;
    }

    /// `Comm.Get_rank`, or a name of the module.
    private static List<String> names() throws Exception {
        List<String> names = new ArrayList<>();
        for (String line : Tables.resource("names-of-mpi4py.tsv")) {
            String[] cells = line.split("\t");
            String owner = cells[0].equals("MPI") ? "" : cells[0] + ".";
            for (String name : cells[1].split(" ")) names.add(owner + name);
        }
        return names;
    }

    private static String member(String owner, String name) {
        return owner.equals("MPI") ? name : owner.substring("MPI.".length()) + "." + name;
    }

    /// The number of occurrences of each name in the tables. A name with `*` counts for all names that match.
    private static Map<String, Integer> occurrences(List<String> names) throws Exception {
        List<String> written = new ArrayList<>();
        for (List<String> row : Table.RULE.rows()) {
            String owner = codeNames(row.getFirst()).getFirst();
            for (String name : codeNames(row.get(2))) written.add(member(owner, name));
        }
        for (Table table : List.of(Table.OTHER, Table.CONSTANTS, Table.ABSENT)) {
            for (List<String> row : table.rows()) written.addAll(codeNames(row.getFirst()));
        }
        Map<String, Integer> times = new TreeMap<>();
        for (String name : written) {
            Pattern fits = Pattern.compile(name.replace(".", "\\.").replace("*", ".*"));
            List<String> meant =
                    names.stream().filter(n -> fits.matcher(n).matches()).toList();
            assertThat(meant).as("%s, which mpi4py does not have", name).isNotEmpty();
            for (String each : meant) times.merge(each, 1, Integer::sum);
        }
        return times;
    }

    @Test
    void eachNameOfMpi4pyOccursOnce() throws Exception {
        List<String> names = names();
        Map<String, Integer> times = occurrences(names);
        assertThat(names).hasSizeGreaterThan(900);
        for (String name : names)
            assertThat(times.getOrDefault(name, 0)).as(name).isEqualTo(1);
    }

    @Test
    void theRuleGivesAMethod() throws Exception {
        for (List<String> row : Table.RULE.rows()) {
            String suffix = row.getFirst().endsWith("objects") ? "Object" : "";
            Class<?> type = ApiName.type(codeNames(row.get(1)).getFirst());
            for (String name : codeNames(row.get(2))) {
                ApiName method = new ApiName(type, camelCase(name) + suffix, "");
                assertThat(method.members()).as("%s of %s", name, method).isNotEmpty();
            }
        }
    }

    private static String camelCase(String name) {
        String text = name.replaceFirst("^Get_", "");
        String joined = Pattern.compile("_(\\w)")
                .matcher(text)
                .replaceAll(m -> m.group(1).toUpperCase());
        return Character.toLowerCase(joined.charAt(0)) + joined.substring(1);
    }

    @Test
    void javaNamesAreInTheApi() throws Exception {
        for (Table table : List.of(Table.OTHER, Table.CONSTANTS)) {
            for (List<String> row : table.rows()) {
                List<ApiName> names = ApiName.in(row.get(1));
                if (!row.get(1).contains("`Map`")) {
                    assertThat(names)
                            .as(row.toString())
                            .hasSameSizeAs(codeNames(row.get(1).replaceAll("\\(.*?\\)", "")));
                }
                for (ApiName name : names) {
                    if (!name.isType())
                        assertThat(name.members()).as(row.toString()).isNotEmpty();
                }
            }
        }
    }

    @Test
    void aTypeHasTheConstantsOfItsRow() throws Exception {
        int constants = 0;
        for (List<String> row : Table.CONSTANTS.rows()) {
            List<ApiName> names = ApiName.in(row.get(1));
            if (names.size() != 1 || !names.getFirst().isType()) continue;
            for (String name : codeNames(row.getFirst())) {
                String constant = name.replaceFirst("^(MODE|LOCK|WIN_FLAVOR|WIN|COMBINER|SEEK)_", "");
                ApiName field = new ApiName(names.getFirst().type(), constant, "");
                assertThat(field.members()).as("%s of %s", name, field).isNotEmpty();
                constants++;
            }
        }
        assertThat(constants).isGreaterThan(80);
    }

    @Test
    void absentNamesHaveAReason() throws Exception {
        assertThat(Table.ABSENT.rows())
                .allMatch(row -> row.size() == 2 && !row.get(1).isEmpty());
        assertThat(Arrays.stream(Table.values()).map(table -> table.heading)).doesNotHaveDuplicates();
    }
}
