package org.tutti.site;

import java.util.List;

/// A document, rendered.
///
/// @param source its path in the checkout, with `/`
/// @param target its path in the site
/// @param links what it links to, as it is written
record Page(String source, String target, String title, String html, List<Section> sections, List<String> links) {
    /// What stands below a heading.
    ///
    /// @param anchor the heading's id
    record Section(String anchor, String heading, String text) {}

    static boolean isPage(String source) {
        return source.endsWith(".md");
    }

    /// Where a document of the checkout lies in the site; `README.md` is what a folder shows.
    static String target(String source) {
        return source.replaceFirst("(^|/)README\\.md$", "$1index.md").replaceFirst("\\.md$", ".html");
    }

    boolean hasAnchor(String anchor) {
        return sections.stream().anyMatch(s -> s.anchor.equals(anchor));
    }
}
