package org.tutti.site;

import java.util.List;

/// A rendered document.
///
/// @param source the path in the checkout, with `/`
/// @param target the path in the site
/// @param links the links, as written
/// @param languages the languages of highlighted code
record Page(
        String source,
        String target,
        String title,
        String html,
        List<Section> sections,
        List<String> links,
        List<String> languages) {
    /// The text below a heading.
    ///
    /// @param level 1 for the title
    /// @param anchor the heading's id
    record Section(int level, String anchor, String heading, String text) {}

    static boolean isPage(String source) {
        return source.endsWith(".md");
    }

    /// Returns the path in the site of a document in the checkout; `README.md` becomes the index of a folder, and
    /// the page of an example is in the folder of the program.
    static String target(String source) {
        return source.replaceFirst("(^|/)README\\.md$", "$1index.md").replaceFirst("\\.(md|java)$", ".html");
    }

    /// Returns the prefix of links from this page to the top of the site.
    static String up(String target) {
        return "../".repeat((int) target.chars().filter(c -> c == '/').count());
    }

    boolean hasAnchor(String anchor) {
        return sections.stream().anyMatch(s -> s.anchor.equals(anchor));
    }
}
