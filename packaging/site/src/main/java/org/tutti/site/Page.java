package org.tutti.site;

import java.util.List;

/// A rendered document.
///
/// @param source its path in the checkout, with `/`
/// @param target its path in the site
/// @param links its links, as written
record Page(String source, String target, String title, String html, List<Section> sections, List<String> links) {
    /// The text below a heading.
    ///
    /// @param anchor the heading's id
    record Section(String anchor, String heading, String text) {}

    static boolean isPage(String source) {
        return source.endsWith(".md");
    }

    /// Returns the path in the site of a document in the checkout; `README.md` becomes the index of a folder.
    static String target(String source) {
        return source.replaceFirst("(^|/)README\\.md$", "$1index.md").replaceFirst("\\.md$", ".html");
    }

    boolean hasAnchor(String anchor) {
        return sections.stream().anyMatch(s -> s.anchor.equals(anchor));
    }
}
