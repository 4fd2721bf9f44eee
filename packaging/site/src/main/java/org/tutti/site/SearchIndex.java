package org.tutti.site;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The search index, as scripts, because a page from a file system may be allowed to load scripts but not data.
///
///     search/terms-a.js      the terms with this initial; for each the entries: number × 2, + 1 if in the title,
///                            each as the difference from the previous one
///     search/entries-3.js    [CHUNK] entries, from number 3 × CHUNK: address, title, first words of the text
///
/// A search loads the terms for each initial in the query, and only the entries that it shows. Of equally good
/// entries, the one with the smaller number is shown first: guides, then Javadoc, then reasons.
final class SearchIndex {
    /// A target of the search.
    ///
    /// @param target the address in the site
    record Entry(String target, String title, String text) {
        private boolean isReason() {
            return target.startsWith("docs/decisions/") || target.startsWith("docs/measurements/");
        }
    }

    /// The number of entries in a script; search.js has the same.
    static final int CHUNK = 64;

    private static final int EXCERPT_CHARS = 120;
    private static final Pattern TERM = Pattern.compile("[\\p{L}\\p{N}_]{2,}");
    private static final Pattern PART = Pattern.compile("\\p{Lu}?\\p{Ll}{2,}");

    private SearchIndex() {}

    static List<Entry> entries(Collection<Page> pages) {
        List<Entry> entries = new ArrayList<>();
        for (Page page : pages) {
            for (Page.Section section : page.sections()) {
                boolean first = section.level() == 1;
                entries.add(new Entry(
                        page.target() + (first ? "" : "#" + section.anchor()),
                        first ? page.title() : page.title() + ": " + section.heading(),
                        section.text()));
            }
        }
        return entries;
    }

    /// Returns the scripts by name.
    static Map<String, String> scripts(List<Entry> unordered) {
        List<Entry> entries = new ArrayList<>(
                unordered.stream().filter(entry -> !entry.isReason()).toList());
        unordered.stream().filter(Entry::isReason).forEach(entries::add);
        Map<String, String> scripts = new TreeMap<>();
        for (int first = 0; first < entries.size(); first += CHUNK) {
            StringJoiner chunk = new StringJoiner(",\n", "tuttiSearch.entries[" + first / CHUNK + "] = [\n", "\n];\n");
            for (Entry entry : entries.subList(first, Math.min(first + CHUNK, entries.size()))) {
                chunk.add("[" + quoted(entry.target) + "," + quoted(entry.title) + "," + quoted(excerpt(entry.text))
                        + "]");
            }
            scripts.put("entries-" + first / CHUNK + ".js", chunk.toString());
        }
        Map<String, StringJoiner> terms = new TreeMap<>();
        for (var term : postings(entries).entrySet()) {
            String initial = initial(term.getKey());
            terms.computeIfAbsent(
                            initial, l -> new StringJoiner(",\n", "tuttiSearch.terms[\"" + l + "\"] = {\n", "\n};\n"))
                    .add(quoted(term.getKey()) + ":" + differences(term.getValue()));
        }
        terms.forEach((initial, script) -> scripts.put("terms-" + initial + ".js", script.toString()));
        return scripts;
    }

    private static Map<String, List<Integer>> postings(List<Entry> entries) {
        Map<String, List<Integer>> postings = new TreeMap<>();
        for (int i = 0; i < entries.size(); i++) {
            TreeSet<String> inTitle = terms(entries.get(i).title), inText = terms(entries.get(i).text);
            inText.removeAll(inTitle);
            for (String term : inTitle)
                postings.computeIfAbsent(term, _ -> new ArrayList<>()).add(2 * i + 1);
            for (String term : inText)
                postings.computeIfAbsent(term, _ -> new ArrayList<>()).add(2 * i);
        }
        return postings;
    }

    private static String differences(List<Integer> ascending) {
        StringJoiner differences = new StringJoiner(",", "[", "]");
        int before = 0;
        for (int number : ascending) {
            differences.add(Integer.toString(number - before));
            before = number;
        }
        return differences.toString();
    }

    /// Returns the terms of a text, and the parts of names like `sendObject`, in small letters.
    private static TreeSet<String> terms(String text) {
        TreeSet<String> terms = new TreeSet<>();
        Matcher term = TERM.matcher(text);
        while (term.find()) {
            terms.add(term.group().toLowerCase(Locale.ROOT));
            Matcher part = PART.matcher(term.group());
            while (part.find()) terms.add(part.group().toLowerCase(Locale.ROOT));
        }
        return terms;
    }

    /// Returns the part of the index that contains the term: the first character if it is in `a-z`, otherwise
    /// `0`.
    private static String initial(String term) {
        char first = term.charAt(0);
        return first >= 'a' && first <= 'z' ? String.valueOf(first) : "0";
    }

    private static String excerpt(String text) {
        String line = text.strip().replaceAll("\\s+", " ");
        if (line.length() <= EXCERPT_CHARS) return line;
        int space = line.lastIndexOf(' ', EXCERPT_CHARS);
        return line.substring(0, space < 0 ? EXCERPT_CHARS : space) + " …";
    }

    /// Returns a JavaScript string, in which no text can end a script.
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') quoted.append('\\').append(c);
            else if (c < ' ' || c == '<' || c == '\u2028' || c == '\u2029') {
                quoted.append("\\u%04x".formatted((int) c));
            } else quoted.append(c);
        }
        return quoted.append('"').toString();
    }
}
