package org.tutti.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The checkout's documents, and small ones with mistakes.
class SiteBuilderTest {
    @Test
    void everyLinkOfTheDocumentsLeadsSomewhere(@TempDir Path site) throws IOException {
        assertThat(SiteBuilder.build(Path.of(System.getProperty("tutti.root")), site))
                .isGreaterThan(80);
        assertThat(Files.readString(site.resolve("docs/install.html")))
                .contains(
                        "<title>Install · Tutti</title>",
                        "href=\"support.html\"",
                        "src=\"../search.js\"",
                        "class=\"here\"");
        assertThat(Files.readString(site.resolve("index.html"))).contains("href=\"docs/index.html\"", "<table>");
        assertThat(Files.readString(site.resolve("pages.js"))).contains("docs/install.html#maven-and-gradle");
        assertThat(site.resolve("docs/figures/allreduce.svg")).exists();
        assertThat(site.resolve("examples/Hello.java")).exists();
    }

    private static Path checkout(Path root, String start, String other) throws IOException {
        for (String folder : new String[] {"docs", "examples"}) Files.createDirectories(root.resolve(folder));
        Files.writeString(root.resolve("README.md"), start);
        Files.writeString(root.resolve("docs/other.md"), other);
        for (String page : new String[] {"CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md", "docs/README.md"}) {
            Files.writeString(root.resolve(page), "# " + page + "\n");
        }
        Files.writeString(root.resolve("LICENSE"), "");
        return root;
    }

    @Test
    void allLinksThatLeadNowhereAreNamed(@TempDir Path root) throws IOException {
        checkout(root, """
                # Start

                [a](docs/other.md#two-words) [b](docs/none.md) [c](docs/other.md#none) ![d](docs/none.svg) [e](https://example.org/none)
                """, "# Other\n\n## Two words\n\n[back](../README.md) [here](#two-words) [down](../pom.xml)\n");
        assertThatThrownBy(() -> SiteBuilder.build(root, root.resolve("site"))).hasMessage("""
                        README.md: docs/none.md leads nowhere: there is no docs/none.md
                        README.md: docs/other.md#none leads nowhere: docs/other.md has no heading none
                        README.md: docs/none.svg leads nowhere: there is no docs/none.svg
                        docs/other.md: ../pom.xml leads nowhere: there is no pom.xml""");
    }

    @Test
    void aPageHasOneTitle(@TempDir Path root) throws IOException {
        checkout(root, "# Start\n", "# One\n\n# Two\n");
        assertThatThrownBy(() -> SiteBuilder.build(root, root.resolve("site")))
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
        Path site = root.resolve("site");
        SiteBuilder.build(root, site);
        try (Stream<Path> files = Files.list(site.resolve("javadoc"))) {
            assertThat(files.map(f -> f.getFileName().toString())).containsExactlyInAnyOrder("index.html", "tutti-x");
        }
        assertThat(Files.readString(site.resolve("index.html"))).contains("href=\"javadoc/index.html\"");
    }
}
