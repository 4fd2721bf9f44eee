package org.tutti.e2e.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;

/// The text of the project is plain English, and every cited page, record or class exists. The rules are in
/// docs/dev/style.md.
class TextTest {
    private static final int FEWEST_FILES = 2000;

    /// The limits in `text-limits.tsv`, per 10,000 words. A folder that meets the goals of docs/dev/style.md
    /// has the goals as limits; the limits of other folders only decrease.
    ///
    /// @param openings the rate of comments that begin with "What", "Who" and similar words
    private record Limit(double rare, double frequent, double openings) {}

    private static final Pattern CITED_PAGE =
            Pattern.compile("(?<![\\w/.])docs/(?:[\\w/-]+\\.(?:md|txt|svg)|decisions/\\d\\d\\b)");
    private static final Pattern CITED_RECORD = Pattern.compile("docs/decisions/(\\d\\d)");
    private static final Pattern CITED_CLASS = Pattern.compile("`([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+)`");
    /// Packages of the JDK with types that pages mention.
    private static final List<String> FOREIGN_PACKAGES = List.of(
            "java.lang",
            "java.lang.foreign",
            "java.lang.invoke",
            "java.lang.ref",
            "java.io",
            "java.nio",
            "java.nio.channels",
            "java.nio.file",
            "java.net",
            "java.util",
            "java.util.concurrent",
            "java.util.concurrent.atomic",
            "java.util.concurrent.locks",
            "java.util.function",
            "java.util.random",
            "java.util.stream");

    /// The record that contains the table of old names.
    private static final Path OLD_NAMES = Path.of("75-the-api-of-0.1.0.md");

    /// Names that pages for maintainers mention, but that are not types of this project.
    private static final Set<String> FOREIGN = Set.of(
            "AutoComplete",
            "DelayedWorkQueue",
            "EasyTrain",
            "GradScaler",
            "OneCycleLR",
            "PointerScope",
            "PropertiesLauncher");

    private static final Pattern TYPE = Pattern.compile("\\b(?:class|interface|record|enum) ([A-Z]\\w*)");

    @Test
    void everyFolderKeepsItsLimits() throws IOException {
        Map<String, Limit> limits = limits();
        Map<String, TextMeter> meters = new TreeMap<>();
        int files = 0;
        for (Path file : files()) {
            String name = file.toString();
            boolean isJava = name.endsWith(".java");
            TextMeter meter =
                    meters.computeIfAbsent(folder(file) + (isJava ? " code" : " pages"), f -> new TextMeter());
            for (String line : Files.readAllLines(Checkout.ROOT.resolve(file))) {
                if (isJava) meter.java(line);
                else meter.page(line);
            }
            files++;
        }
        assertThat(files).isGreaterThanOrEqualTo(FEWEST_FILES);
        meters.put("names", names(meters.values()));
        List<String> above = new ArrayList<>();
        meters.forEach((folder, meter) -> {
            Limit limit = limits.get(folder);
            boolean isBelow = limit != null
                    && meter.rareRate() <= limit.rare
                    && meter.frequentRate() <= limit.frequent
                    && meter.openingRate() <= limit.openings;
            if (isBelow) return;
            above.add("%s: rare %.1f, frequent %.1f, openings %.1f, %s, %d words"
                    .formatted(
                            folder, meter.rareRate(), meter.frequentRate(), meter.openingRate(), limit, meter.total));
        });
        assertThat(above)
                .as("entries of `words.tsv` per 10,000 words; rewrite the sentences")
                .isEmpty();
        assertThat(meters.keySet()).as("missing folders of text-limits.tsv").containsAll(limits.keySet());
    }

    /// Returns the number of identifiers, and of identifiers that contain a part listed in `words.tsv`.
    private static TextMeter names(Collection<TextMeter> meters) {
        Set<String> all = new HashSet<>(), listed = new HashSet<>();
        for (TextMeter meter : meters) {
            all.addAll(meter.names);
            listed.addAll(meter.listedNames);
        }
        TextMeter names = new TextMeter();
        names.total = all.size();
        names.rare = listed.size();
        return names;
    }

    @Test
    void aListedWordIsCounted() {
        TextMeter meter = new TextMeter();
        meter.java("/// Nobody knows what `nobody` tells.");
        meter.java("String isLookedAt = \"in vain\"; // lies");
        meter.page("Buffers are stored in the segment.");
        assertThat(meter.total).isEqualTo(4 + 1 + 6);
        assertThat(meter.rare).isEqualTo(4); // a comment hides the literals of the line
        assertThat(meter.frequent).isEqualTo(1);
        assertThat(meter.listedNames).containsExactly("isLookedAt");
    }

    @Test
    void citedPagesAndRecordsExist() throws IOException {
        List<String> missing = new ArrayList<>();
        int cited = 0;
        Set<String> records = records();
        for (Path file : files()) {
            if (file.startsWith("packaging/site")) continue; // contains examples of links
            boolean isJava = file.toString().endsWith(".java");
            for (String line : Files.readAllLines(Checkout.ROOT.resolve(file))) {
                if (isJava && !line.contains("//")) continue;
                for (Matcher m = CITED_PAGE.matcher(line); m.find(); cited++) {
                    Matcher record = CITED_RECORD.matcher(m.group());
                    boolean exists = record.matches()
                            ? records.contains(record.group(1))
                            : Files.exists(Checkout.ROOT.resolve(m.group()))
                                    || Files.exists(file.resolveSibling(m.group()));
                    if (!exists) missing.add(file + ": " + m.group());
                }
            }
        }
        assertThat(cited).isGreaterThan(80);
        assertThat(missing).isEmpty();
    }

    /// Checks only pages for maintainers, because pages for users also name types of other projects.
    @Test
    void citedClassesExist() throws IOException {
        Set<String> types = types();
        Set<String> missing = new TreeSet<>();
        int cited = 0;
        for (Path file : files()) {
            if (!file.startsWith("docs/decisions") && !file.startsWith("docs/dev")) continue;
            if (file.endsWith(OLD_NAMES)) continue;
            String page = Files.readString(Checkout.ROOT.resolve(file));
            for (Matcher m = CITED_CLASS.matcher(page); m.find(); cited++) {
                String name = m.group(1);
                if (!types.contains(name) && !isForeign(name)) missing.add(file.getFileName() + ": " + name);
            }
        }
        assertThat(cited).isGreaterThan(150);
        assertThat(missing).isEmpty();
    }

    @Test
    void commitSubjectsAreShort() throws IOException, InterruptedException {
        assumeTrue(Files.exists(Checkout.ROOT.resolve(".git")), "no history here");
        Process git = new ProcessBuilder(
                        "git",
                        "-c",
                        "safe.directory=*",
                        "log",
                        "--no-merges",
                        "--since=2026-11-29T00:00:00Z",
                        "--format=%s")
                .directory(Checkout.ROOT.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        List<String> subjects = git.inputReader().lines().toList();
        assumeTrue(git.waitFor() == 0, "git cannot read the history");
        assertThat(subjects).allMatch(s -> s.length() <= 72 && s.matches("[\\w.,/ -]+: [a-z].*"));
    }

    // ---- files of the tree

    private static Map<String, Limit> limits() throws IOException {
        Map<String, Limit> limits = new TreeMap<>();
        try (Stream<String> lines = Files.lines(resource("text-limits.tsv"))) {
            lines.filter(l -> !l.startsWith("#") && !l.startsWith("folder"))
                    .map(l -> l.split("\t"))
                    .forEach(l -> limits.put(
                            l[0],
                            new Limit(Double.parseDouble(l[1]), Double.parseDouble(l[2]), Double.parseDouble(l[3]))));
        }
        return limits;
    }

    private static Path resource(String name) {
        return Checkout.module("tutti-e2e")
                .resolve("src/test/resources/org/tutti/e2e/rules")
                .resolve(name);
    }

    private static String folder(Path file) {
        return file.getNameCount() == 1 ? "." : file.getName(0).toString();
    }

    /// Returns the pages and sources, relative to the root, without build outputs.
    private static List<Path> files() throws IOException {
        try (Stream<Path> top = Files.list(Checkout.ROOT)) {
            List<Path> all = new ArrayList<>();
            for (Path entry : top.toList()) {
                String name = entry.getFileName().toString();
                if (name.startsWith(".") || name.equals("target")) continue;
                if (Files.isDirectory(entry)) {
                    try (Stream<Path> below = Files.walk(entry)) {
                        below.filter(TextTest::isText).forEach(all::add);
                    }
                } else if (name.endsWith(".md") || name.equals("tutti")) {
                    all.add(entry);
                }
            }
            return all.stream()
                    .map(Checkout.ROOT::relativize)
                    .filter(f -> !isBuilt(f))
                    .toList();
        }
    }

    private static boolean isText(Path file) {
        return file.toString().endsWith(".java") || file.toString().endsWith(".md");
    }

    private static boolean isBuilt(Path file) {
        for (Path part : file) if (part.toString().equals("target")) return true;
        return false;
    }

    private static Set<String> records() throws IOException {
        try (Stream<Path> files = Files.list(Checkout.ROOT.resolve("docs/decisions"))) {
            return files.map(f -> f.getFileName().toString().substring(0, 2)).collect(Collectors.toSet());
        }
    }

    /// Returns the names of all types of the tree, including nested types.
    private static Set<String> types() throws IOException {
        Set<String> types = new HashSet<>();
        for (Path file : files()) {
            if (!file.toString().endsWith(".java")) continue;
            for (Matcher m = TYPE.matcher(Files.readString(Checkout.ROOT.resolve(file))); m.find(); )
                types.add(m.group(1));
        }
        return types;
    }

    private static boolean isForeign(String name) {
        if (FOREIGN.contains(name)) return true;
        return FOREIGN_PACKAGES.stream().anyMatch(p -> {
            try {
                Class.forName(p + "." + name, false, TextTest.class.getClassLoader());
                return true;
            } catch (ClassNotFoundException e) {
                return false;
            }
        });
    }
}
