package org.tutti.site;

import java.util.Collection;
import java.util.StringJoiner;

/// The search index, as a script, because a page from a file system may be allowed to load scripts but not
/// data.
final class SearchIndex {
    private SearchIndex() {}

    static String script(Collection<Page> pages) {
        StringJoiner entries = new StringJoiner(",\n", "const tuttiPages = [\n", "\n];\n");
        for (Page page : pages) {
            for (Page.Section section : page.sections()) {
                String title =
                        section.heading().equals(page.title()) ? page.title() : page.title() + ": " + section.heading();
                entries.add("[" + quoted(page.target() + "#" + section.anchor()) + "," + quoted(title) + ","
                        + quoted(section.text()) + "]");
            }
        }
        return entries.toString();
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
