/// The documents of a checkout as one static site: README.md, docs, the examples' list, the javadoc
/// that was rendered, and a search that needs no server.
///
///     SiteBuilder ──reads──▶ Page ──by──▶ Markdown ; LinkChecker ; SearchIndex ; writes the files
///
/// Rules: a link that leads nowhere is an error, as is a page without one title. Pages have no
/// framework; the search is one script over one list, which works from a file system, too. Markdown is
/// CommonMark with GitHub's tables, parsed by commonmark-java.
@NullMarked
package org.tutti.site;

import org.jspecify.annotations.NullMarked;
