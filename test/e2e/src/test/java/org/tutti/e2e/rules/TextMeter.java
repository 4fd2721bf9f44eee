package org.tutti.e2e.rules;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Counts the words in comments, literals and pages, and how many of these are entries of `words.tsv`.
final class TextMeter {
    private static final Pattern COMMENT = Pattern.compile("///.*|//.*|^\\s*/?\\*.*");
    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern CODE = Pattern.compile("`[^`]*`|\\[[^\\]]*\\]|\\{@[^}]*\\}|<[^>]*>");
    private static final Pattern WORD = Pattern.compile("[a-z']+");
    private static final Pattern OPENING =
            Pattern.compile("\\s*/// (Who|Whoever|Whom|Whose|What|Whatever|Nobody|Somebody)\\b.*");
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final Pattern PART = Pattern.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+");
    private static final Pattern NO_CODE = Pattern.compile("\\s*(//|\\*|/\\*|import |package ).*");

    private static final List<String> RARE = entries("rare"), FREQUENT = entries("frequent");
    private static final Set<String> IN_NAMES = Set.copyOf(entries("name"));

    long total;
    long rare;
    long frequent;
    long openings;

    /// All identifiers of the code, and the identifiers that contain a part listed in `words.tsv`.
    final Set<String> names = new HashSet<>(), listedNames = new HashSet<>();

    static List<String> entries(String kind) {
        try (InputStream in = TextMeter.class.getResourceAsStream("words.tsv")) {
            List<String> entries = new ArrayList<>();
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
                if (line.startsWith(kind + "\t")) entries.add(line.substring(kind.length() + 1));
            }
            return entries;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Counts a line of a page, which is text only.
    void page(String line) {
        text(line);
    }

    /// Counts a line of Java: the identifiers, and the comment, or the string literals if there is no comment.
    void java(String line) {
        if (OPENING.matcher(line).matches()) openings++;
        Matcher comment = COMMENT.matcher(line);
        if (comment.find()) {
            text(comment.group());
        } else {
            StringBuilder literals = new StringBuilder();
            for (Matcher m = LITERAL.matcher(line); m.find(); )
                literals.append(m.group(1)).append(' ');
            text(literals.toString());
        }
        if (!NO_CODE.matcher(line).matches())
            names(LITERAL.matcher(line).replaceAll("\"\"").split("//", -1)[0]);
    }

    private void text(String line) {
        StringBuilder joined = new StringBuilder(" ");
        Matcher word = WORD.matcher(CODE.matcher(line).replaceAll(" ").toLowerCase(Locale.ROOT));
        while (word.find()) {
            joined.append(word.group()).append(' ');
            total++;
        }
        String all = joined.toString();
        for (String w : RARE) rare += occurrences(all, " " + w + " ");
        for (String w : FREQUENT) frequent += occurrences(all, " " + w + " ");
    }

    /// Returns the number of occurrences without overlaps, like `str.count` of Python.
    private static int occurrences(String text, String part) {
        int n = 0;
        for (int at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length())) n++;
        return n;
    }

    private void names(String code) {
        for (Matcher m = IDENTIFIER.matcher(code); m.find(); ) {
            if (!names.add(m.group())) continue;
            for (Matcher part = PART.matcher(m.group()); part.find(); ) {
                if (IN_NAMES.contains(part.group().toLowerCase(Locale.ROOT))) listedNames.add(m.group());
            }
        }
    }

    /// Returns the rate of rare entries, per 10,000 words.
    double rareRate() {
        return total == 0 ? 0 : 10_000.0 * rare / total;
    }

    /// Returns the rate of frequent entries, per 10,000 words.
    double frequentRate() {
        return total == 0 ? 0 : 10_000.0 * frequent / total;
    }

    /// Returns the rate of comments that begin with an interrogative pronoun, per 10,000 words.
    double openingRate() {
        return total == 0 ? 0 : 10_000.0 * openings / total;
    }
}
