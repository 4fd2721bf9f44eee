package org.tutti.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Builds the site of the checkout, and small sites with mistakes.
class SiteBuilderTest {
    private static final Path ROOT = Path.of(System.getProperty("tutti.root"));

    @TempDir
    private static Path site;

    private static int pages;

    @BeforeAll
    static void build() throws IOException {
        pages = SiteBuilder.build(ROOT, site, "1.2.3");
    }

    @Test
    void everyLinkOfTheDocumentsLeadsSomewhere() throws IOException {
        assertThat(pages).isGreaterThan(80);
        assertThat(Files.readString(site.resolve("docs/install.html")))
                .contains(
                        "<title>Install · Tutti</title>",
                        "href=\"support.html\"",
                        "src=\"../search.js\"",
                        "aria-current=\"page\"",
                        "<footer>Tutti 1.2.3");
        assertThat(Files.readString(site.resolve("index.html"))).contains("href=\"docs/index.html\"", "<table>");
        assertThat(Files.readString(site.resolve("examples/Hello.html")))
                .contains("./tutti run -n 4 examples/Hello.java", "<code class=\"language-java\">import org");
        assertThat(site.resolve("docs/figures/allreduce.svg")).exists();
        assertThat(site.resolve("examples/Hello.java")).exists();
    }

    @Test
    void everyExampleIsListed() throws IOException {
        String list = Files.readString(site.resolve("examples/index.html"));
        try (Stream<Path> programs = Files.list(ROOT.resolve("examples"))) {
            assertThat(programs.map(program -> program.getFileName().toString())
                            .filter(name -> name.endsWith(".java"))
                            .map(name -> name.replace(".java", ""))
                            .filter(name -> !list.contains("<a href=\"" + name + ".html\">" + name + "</a>")))
                    .isEmpty();
        }
    }

    /// The size excludes pictures, and the search index, which is loaded later, in parts.
    @Test
    void firstPageLoadsAtMost60Kilobytes() throws IOException {
        String start = Files.readString(site.resolve("index.html"));
        List<String> loaded = Pattern.compile("<(?:script defer src|link rel=\"stylesheet\" href)=\"([^\"]+)\"")
                .matcher(start)
                .results()
                .map(script -> script.group(1))
                .toList();
        assertThat(loaded)
                .contains("site.css", "site.js", "search.js", "highlight/core.js", "highlight/java.js")
                .noneMatch(script -> script.startsWith("search/"));
        long bytes = Files.size(site.resolve("index.html"));
        for (String file : loaded) bytes += Files.size(site.resolve(file));
        assertThat(bytes).isLessThanOrEqualTo(60_000);
        try (Stream<Path> parts = Files.list(site.resolve("search"))) {
            assertThat(parts)
                    .hasSizeGreaterThan(26)
                    .allMatch(part -> part.toFile().length() <= 60_000);
        }
    }

    private static Path checkout(Path root, String start, String other) throws IOException {
        for (String folder : new String[] {"docs", "examples"}) Files.createDirectories(root.resolve(folder));
        Files.writeString(root.resolve("README.md"), start);
        Files.writeString(root.resolve("docs/other.md"), other);
        for (String page : new String[] {"CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md"}) {
            Files.writeString(root.resolve(page), "# " + page + "\n");
        }
        Files.writeString(root.resolve("docs/README.md"), """
                # Index

                **First**

                [other](other.md), [start](../README.md)

                **Second**

                [changes](../CHANGELOG.md)
                """);
        Files.writeString(root.resolve("LICENSE"), "");
        return root;
    }

    @Test
    void allLinksThatLeadNowhereAreNamed(@TempDir Path root) throws IOException {
        checkout(root, """
                # Start

                [a](docs/other.md#two-words) [b](docs/none.md) [c](docs/other.md#none) ![d](docs/none.svg) [e](https://example.org/none)
                """, "# Other\n\n## Two words\n\n[back](../README.md) [here](#two-words) [down](../pom.xml)\n");
        assertThatThrownBy(() -> SiteBuilder.build(root, root.resolve("site"), "1"))
                .hasMessage("""
                        README.md: docs/none.md leads nowhere: there is no docs/none.md
                        README.md: docs/other.md#none leads nowhere: docs/other.md has no heading none
                        README.md: docs/none.svg leads nowhere: there is no docs/none.svg
                        docs/other.md: ../pom.xml leads nowhere: there is no pom.xml""");
    }

    @Test
    void aPageHasOneTitle(@TempDir Path root) throws IOException {
        checkout(root, "# Start\n", "# One\n\n# Two\n");
        assertThatThrownBy(() -> SiteBuilder.build(root, root.resolve("site"), "1"))
                .hasMessage("docs/other.md: has 2 headings of the first level; exactly one must be the title");
    }

    @Test
    void textCannotEndAStringOrAScript() {
        assertThat(SearchIndex.quoted("a\"b\\c\n</script>\u2028"))
                .isEqualTo("\"a\\\"b\\\\c\\u000a\\u003c/script>\\u2028\"");
    }

    @Test
    void javadocThatWasRenderedIsPartOfIt(@TempDir Path root) throws IOException {
        checkout(root, "# Start\n", "# Other\n");
        Path rendered = Files.createDirectories(root.resolve("layer/x/target/reports/apidocs"));
        Files.writeString(rendered.resolve("index.html"), "x");
        SiteBuilder.build(root, root.resolve("site"), "1");
        try (Stream<Path> files = Files.list(root.resolve("site/javadoc"))) {
            assertThat(files.map(f -> f.getFileName().toString())).containsExactlyInAnyOrder("index.html", "tutti-x");
        }
        assertThat(Files.readString(root.resolve("site/index.html"))).contains("href=\"javadoc/index.html\"");
    }

    private static String built(Path root, String page) throws IOException {
        SiteBuilder.build(root, root.resolve("site"), "1");
        return Files.readString(root.resolve("site").resolve(page));
    }

    @Test
    void onlyTheFirstGroupAndTheGroupOfThePageAreOpen(@TempDir Path root) throws IOException {
        checkout(root, "# Start\n", "# Other\n");
        assertThat(built(root, "docs/other.html"))
                .contains(
                        "<details open><summary>First</summary>\n<a aria-current=\"page\" href=\"../docs/other.html\">")
                .contains("<details><summary>Second</summary>\n<a href=\"../CHANGELOG.html\">CHANGELOG.md</a>");
        assertThat(built(root, "CHANGELOG.html")).contains("<details open><summary>Second</summary>");
    }

    @Test
    void pagesHaveContentsAnchorsAndNeighbors(@TempDir Path root) throws IOException {
        checkout(root, "# Start\n", "# Other\n\ntext\n\n## A & b\n\n### Two\n\n#### Deep\n\n## Three\n");
        assertThat(built(root, "docs/other.html"))
                .containsSubsequence(
                        "</h1>\n<details class=\"contents\">",
                        "<a class=\"level2\" href=\"#a--b\">A &amp; b</a>",
                        "<a class=\"level3\" href=\"#two\">Two</a>\n<a class=\"level2\" href=\"#three\">",
                        "<p>text</p>",
                        "<h2 id=\"a--b\">A &amp; b <a class=\"anchor\" href=\"#a--b\"",
                        "<a rel=\"next\" href=\"../index.html\">Start →</a>")
                .doesNotContain("rel=\"prev\"");
        assertThat(built(root, "index.html"))
                .contains(
                        "<a rel=\"prev\" href=\"docs/other.html\">← Other</a><a rel=\"next\" href=\"CHANGELOG.html\">")
                .doesNotContain("class=\"contents\"");
    }

    @Test
    void promptsAndOutputAreMarked(@TempDir Path root) throws IOException {
        checkout(root, "# Start\n", """
                # Other

                    $ salloc -N 2
                    granted <1>

                text

                    ./tutti run A.java

                    Hello
                    ./tutti run B.java

                text

                    plain

                    lines
                """);
        assertThat(built(root, "docs/other.html"))
                .contains(
                        "<span class=\"prompt\">$ </span>salloc -N 2\n<span class=\"output\">granted &lt;1&gt;\n</span>")
                .contains(
                        "<code>./tutti run A.java\n<span class=\"output\">\n</span><span class=\"output\">Hello\n</span>"
                                + "./tutti run B.java\n</code>")
                .contains("<code>plain\n\nlines\n</code>");
    }

    @Test
    void onlyTheLanguagesOfThePageAreLoaded(@TempDir Path root) throws IOException {
        checkout(root, "# Start\n", "# Other\n\n```xml\n<a/>\n```\n\n```sh\nls\n```\n\n```none\nx\n```\n");
        assertThat(built(root, "docs/other.html"))
                .contains("highlight/core.js", "highlight/xml.js", "highlight/bash.js")
                .contains("<code class=\"language-xml\">&lt;a/&gt;\n</code>")
                .doesNotContain("highlight/java.js", "highlight/none.js");
        assertThat(Files.readString(root.resolve("site/index.html"))).doesNotContain("highlight/");
        assertThat(Files.readString(root.resolve("site/highlight/core.js")))
                .contains("BSD-3-Clause")
                .contains("var hljs=")
                .doesNotContain("grmr_");
    }

    @Test
    void examplesHavePagesWithTheProgram(@TempDir Path root) throws IOException {
        checkout(root, "# Start\n\n[ring](examples/Ring.java)\n", "# Other\n");
        Files.writeString(root.resolve("examples/README.md"), "# Examples\n\n| a | b |\n|---|---|\n| x | Ring, No |\n");
        Files.writeString(root.resolve("examples/Ring.java"), """
                /*
                 * Sends *a* token.
                 *
                 *     ./tutti run -n 4 examples/Ring.java
                 */

                void main() { List<String> x; }
                """);
        assertThat(built(root, "examples/Ring.html"))
                .containsSubsequence(
                        "<h1 id=\"ring\">Ring</h1>",
                        "<p>Sends <em>a</em> token.</p>",
                        "<code>./tutti run -n 4 examples/Ring.java\n",
                        "<code class=\"language-java\">void main() { List&lt;String&gt; x; }\n</code>");
        assertThat(Files.readString(root.resolve("site/index.html"))).contains("href=\"examples/Ring.html\"");
        assertThat(Files.readString(root.resolve("site/examples/index.html")))
                .contains("<td><a href=\"Ring.html\">Ring</a>, No</td>");
        assertThat(root.resolve("site/examples/Ring.java")).exists();
    }

    private static int number(List<String> script, String title) {
        return IntStream.range(0, script.size())
                        .filter(i -> script.get(i).contains(title))
                        .findFirst()
                        .orElseThrow()
                - 1;
    }

    @Test
    void searchFindsGuidesThenJavadocThenReasons(@TempDir Path root) throws IOException {
        checkout(root, "# Start\n", "# Other\n\n## Two sendObject\n\nzebra `code`\n");
        Files.createDirectories(root.resolve("docs/decisions"));
        Files.writeString(root.resolve("docs/decisions/01-a.md"), "# Zebra\n");
        Path rendered = Files.createDirectories(root.resolve("layer/x/target/reports/apidocs"));
        Files.writeString(rendered.resolve("index.html"), "x");
        Files.writeString(
                rendered.resolve("package-search-index.js"),
                "packageSearchIndex = [{\"l\":\"All Packages\",\"u\":\"a.html\"},{\"m\":\"m.x\",\"l\":\"p.q\"}];updateSearchResults();");
        Files.writeString(
                rendered.resolve("type-search-index.js"),
                "typeSearchIndex = [{\"l\":\"All Classes\",\"u\":\"b.html\"},{\"p\":\"p.q\",\"l\":\"Herd.Zebra\"}];updateSearchResults();");
        Files.writeString(
                rendered.resolve("member-search-index.js"),
                "memberSearchIndex = [{\"p\":\"p.q\",\"c\":\"Herd\",\"l\":\"sendZebra(int[], List<T>)\",\"u\":\"sendZebra(int[],java.util.List)\"}];");
        SiteBuilder.build(root, root.resolve("site"), "1");
        assertThat(Files.readString(root.resolve("site/search/entries-0.js")))
                .startsWith("tuttiSearch.entries[0] = [\n")
                .containsSubsequence(
                        "[\"docs/other.html#two-sendobject\",\"Other: Two sendObject\",\"zebra code\"]",
                        "[\"javadoc/tutti-x/m.x/p/q/Herd.Zebra.html\",\"Herd.Zebra\",\"Javadoc of p.q\"]",
                        "[\"javadoc/tutti-x/m.x/p/q/Herd.html#sendZebra(int[],java.util.List)\",\"Herd.sendZebra(int[], List\\u003cT>)\"",
                        "[\"docs/decisions/01-a.html\",\"Zebra\"");
        List<String> entries = Files.readAllLines(root.resolve("site/search/entries-0.js"));
        assertThat(Files.readString(root.resolve("site/search/terms-z.js")))
                .startsWith("tuttiSearch.terms[\"z\"] = {\n\"zebra\":[" + 2 * number(entries, "Two") + ",")
                .endsWith("]\n};\n");
        assertThat(Files.readString(root.resolve("site/search/terms-s.js"))).contains("\"sendobject\":", "\"send\":");
    }
}
