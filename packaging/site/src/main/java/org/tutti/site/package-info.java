/// Generates one static site from the documents of a checkout: README.md, docs, the list of examples, the
/// rendered Javadoc, and a search without a server.
///
///     SiteBuilder ──reads──▶ Page ◀──by── Markdown (with CodeBlocks), ExamplePage
///          ├──checks──▶ LinkChecker
///          └──writes──▶ PageLayout (with Navigation), SearchIndex (with JavadocIndex), Highlighter
///
/// Rules: a broken link is an error, and likewise a page without exactly one title. Pages use no framework, and
/// also work from a file system: scripts load scripts, not data. The first page loads at most 60 KB without
/// images; the search index is loaded in parts, during a search. Markdown is CommonMark with GitHub's
/// tables, parsed by commonmark-java; the browser colors code with highlight.js, from a WebJar.
@NullMarked
package org.tutti.site;

import org.jspecify.annotations.NullMarked;
