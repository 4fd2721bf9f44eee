/// Generates one static site from the documents of a checkout: README.md, docs, the list of examples, the
/// rendered Javadoc, and a search without a server.
///
///     SiteBuilder ──reads──▶ Page ──by──▶ Markdown ; LinkChecker ; SearchIndex ; writes the files
///
/// Rules: a broken link is an error, and likewise a page without exactly one title. Pages use no framework; the
/// search is one script with one list, which also works from a file system. Markdown is CommonMark with
/// GitHub's tables, parsed by commonmark-java.
@NullMarked
package org.tutti.site;

import org.jspecify.annotations.NullMarked;
