package org.tutti.cli.doctor.settings;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tutti.cli.doctor.settings.Fact.Condition;

/// The table `settings.tsv`; the header describes the columns.
public final class SettingsTable {
    private static final String FILE = "settings.tsv";
    private static final int COLUMNS = 11;

    private final List<Fact> facts = new ArrayList<>();
    private final Map<Owner, Map<String, List<Fact>>> byName = new HashMap<>();
    private final Map<String, String> sources = new HashMap<>();

    private SettingsTable() {}

    /// Returns the table of Tutti.
    public static SettingsTable load() {
        InputStream file = SettingsTable.class.getResourceAsStream(FILE);
        if (file == null) throw new IllegalStateException(FILE + " is missing in this tutti-cli");
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
            return parse(reader.lines().toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// @throws IllegalArgumentException if a line does not match the header, with the line number
    static SettingsTable parse(List<String> lines) {
        SettingsTable knowledge = new SettingsTable();
        boolean headerSeen = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.isEmpty() || line.startsWith("#")) continue;
            if (line.startsWith("@")) {
                String[] source = line.substring(1).split("\t", 2);
                if (source.length == 2) knowledge.sources.put(source[0], source[1]);
            } else if (!headerSeen) {
                headerSeen = true;
            } else {
                try {
                    knowledge.add(line);
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException(FILE + ", line " + (i + 1) + ": " + e.getMessage(), e);
                }
            }
        }
        return knowledge;
    }

    private void add(String line) {
        String[] cells = line.split("\t", -1);
        if (cells.length != COLUMNS) {
            throw new IllegalArgumentException(cells.length + " columns in place of " + COLUMNS);
        }
        String source = sources.get(cells[10]);
        if (source == null) throw new IllegalArgumentException("no source @" + cells[10]);
        String when = cells[2];
        int blank = when.indexOf(' ');
        Condition only = when.startsWith("@") ? Condition.named(blank < 0 ? when : when.substring(0, blank)) : null;
        if (when.startsWith("@")) {
            if (only == null) throw new IllegalArgumentException("no condition " + when);
            when = blank < 0 ? "-" : when.substring(blank + 1);
        }
        String values = cell(when);
        Fact fact = new Fact(
                Owner.named(cells[0]),
                cells[1],
                only,
                values == null ? null : Pattern.compile(values),
                cell(cells[3]),
                cell(cells[4]),
                verdict(cells[5]),
                cells[6],
                cell(cells[7]),
                cells[8],
                cell(cells[9]),
                source);
        facts.add(fact);
        byName.computeIfAbsent(fact.owner(), owner -> new LinkedHashMap<>())
                .computeIfAbsent(fact.name(), name -> new ArrayList<>())
                .add(fact);
    }

    private static @Nullable String cell(String text) {
        return text.equals("-") ? null : text;
    }

    private static Verdict verdict(String word) {
        return word.equals("debug") ? Verdict.DEBUG_ONLY : Verdict.valueOf(word.toUpperCase(Locale.ROOT));
    }

    /// Returns all rows.
    public List<Fact> facts() {
        return List.copyOf(facts);
    }

    /// Returns the rows of a name, in the order of priority; empty if unknown.
    public List<Fact> facts(Owner owner, String name) {
        return byName.getOrDefault(owner, Map.of()).getOrDefault(name, List.of());
    }

    /// Returns the names of a library.
    public Collection<String> names(Owner owner) {
        return byName.getOrDefault(owner, Map.of()).keySet();
    }

    /// Returns the owner of a variable, by the prefix or by the table; null if unknown.
    @Nullable
    Owner ownerOf(String variable) {
        Owner owner = Owner.ofVariable(variable);
        if (owner != null) return owner;
        return facts(Owner.DEVICES, variable).isEmpty() ? null : Owner.DEVICES;
    }

    /// Returns all rows of a name. The name may have the prefix or not; an option may have one dash or two.
    public List<Fact> explain(String name) {
        List<Fact> found = new ArrayList<>();
        Owner owner = Owner.ofVariable(name);
        if (owner != null) found.addAll(facts(owner, canonical(owner, name)));
        for (Owner any : Owner.values()) {
            String own = any.isLauncher() ? option(any, name) : name;
            for (Fact fact : facts(any, own)) if (!found.contains(fact)) found.add(fact);
        }
        return found;
    }

    /// Returns the known names that are similar to an unknown name. The known names have the prefixes or dashes
    /// that a user types.
    public List<String> similar(String name) {
        List<String> all = new ArrayList<>();
        for (Fact fact : facts) all.add(fact.title());
        return SimilarNames.of(name, all);
    }

    /// Returns the table's name of a variable: MPICH's variables have three names each.
    String canonical(Owner owner, String variable) {
        String name = owner.nameOf(variable);
        if (owner != Owner.MPICH || !facts(owner, name).isEmpty()) return name;
        for (String too : Owner.MPICH_TOO) {
            if (name.startsWith(too)) return Owner.MPICH.prefix() + name.substring(too.length());
        }
        return name;
    }

    /// Returns the table's name of an option: `-map-by` and `--map-by` are equivalent for the launchers.
    String option(Owner owner, String word) {
        if (!word.startsWith("-") || !facts(owner, word).isEmpty()) return word;
        String other = word.startsWith("--") ? word.substring(1) : "-" + word;
        return facts(owner, other).isEmpty() ? word : other;
    }
}
