package org.tutti.site;

import java.util.Collection;
import java.util.StringJoiner;

/// The list that the search goes through, as a script, which a page from a file system may load where it may not load
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

    /// As a string of JavaScript, in which no text ends a script.
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
