package org.tutti.e2e.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;

/// The page that lists the classes on the path of a call is up to date.
class PathsPageTest {
    private static final Path PAGE = Checkout.ROOT.resolve("docs/dev/paths.md");

    /// A row of a table: a class and the folder of the module that contains it.
    private static final Pattern ROW = Pattern.compile("\\| `(\\w+)` \\| (\\w+/[\\w-]+) \\|.*");

    /// The name of a class in the text. Types of users and of the JDK are written differently.
    private static final Pattern NAME = Pattern.compile("`([A-Z][A-Za-z]+)`");

    private static final int FEWEST_ROWS = 30;

    @Test
    void everyClassIsInTheListedModule() throws IOException {
        Map<String, String> layers = layers();
        List<String> wrong = new ArrayList<>();
        int rows = 0;
        for (String line : Files.readAllLines(PAGE)) {
            Matcher row = ROW.matcher(line);
            if (!row.matches()) continue;
            rows++;
            if (!row.group(2).equals(layers.get(row.group(1)))) {
                wrong.add(row.group(1) + " is in " + layers.get(row.group(1)) + ", not in " + row.group(2));
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(rows).isGreaterThanOrEqualTo(FEWEST_ROWS);
    }

    @Test
    void everyClassOfTheTextExists() throws IOException {
        TreeSet<String> missing = new TreeSet<>();
        Matcher name = NAME.matcher(Files.readString(PAGE));
        while (name.find()) missing.add(name.group(1));
        assertThat(missing).hasSizeGreaterThanOrEqualTo(FEWEST_ROWS);
        missing.removeAll(layers().keySet());
        assertThat(missing).isEmpty();
    }

    /// Returns, for each class of the tables, the folders of modules that contain a source file with that name.
    private static Map<String, String> layers() throws IOException {
        Map<String, String> layers = new TreeMap<>();
        for (String artifact : Checkout.modules()) {
            Path module = Checkout.module(artifact);
            String layer = Checkout.ROOT.relativize(module).toString();
            if (!Files.isDirectory(module.resolve("src"))) continue;
            try (Stream<Path> files = Files.walk(module.resolve("src"))) {
                files.map(f -> f.getFileName().toString())
                        .filter(f -> f.endsWith(".java"))
                        .forEach(f -> layers.put(f.replace(".java", ""), layer));
            }
        }
        return layers;
    }
}
