package org.tutti.site;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Generates the site of a checkout.
public final class SiteBuilder {
    /// Documents outside of docs. The next two lists contain other files of the site.
    private static final List<String> PAGES =
            List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md");

    private static final List<String> FILES = List.of("LICENSE", "docs", "examples");
    private static final List<String> OWN = List.of("site.css", "site.js", "search.js");
    private static final String JAVADOC = "target/reports/apidocs";

    /// A name in the table of examples.
    private static final Pattern NAME = Pattern.compile("(?<=<td>|[,;:] |libtorch |DJL )[A-Z]\\w+(?=[, (;]|</td>)");

    private final Path root;
    private final Path site;
    private final Map<String, Page> pages = new LinkedHashMap<>();
    private final Set<String> named = new TreeSet<>();

    private SiteBuilder(Path root, Path site) {
        this.root = root;
        this.site = site;
    }

    /// @param arguments the checkout, the output directory, and the version
    public static void main(String[] arguments) throws IOException {
        int pages = build(Path.of(arguments[0]), Path.of(arguments[1]), arguments[2]);
        System.out.println("site: " + pages + " pages in " + arguments[1]);
    }

    /// Generates the site and returns the number of pages.
    ///
    /// @throws SiteException lists every broken link
    static int build(Path root, Path site, String version) throws IOException {
        SiteBuilder builder = new SiteBuilder(root.toAbsolutePath().normalize(), site);
        builder.read();
        builder.write(version);
        return builder.pages.size();
    }

    private void read() throws IOException {
        List<String> sources = new ArrayList<>(PAGES);
        for (String file : filesBelow("docs")) if (Page.isPage(file)) sources.add(file);
        for (String source : sources) pages.put(source, Markdown.page(source, Files.readString(root.resolve(source))));
        for (String file : filesBelow("examples")) {
            if (ExamplePage.isExample(file))
                pages.put(file, ExamplePage.of(file, Files.readString(root.resolve(file))));
        }
        linkExamples();
        List<String> broken = new LinkChecker(pages, this::isFile).broken();
        if (!broken.isEmpty()) throw new SiteException(String.join("\n", broken));
    }

    /// Returns whether a link to this path is valid. A file that is only the target of a link, such as a test
    /// program, becomes part of the site.
    private boolean isFile(String source) {
        Path path = root.resolve(source).normalize();
        if (!path.startsWith(root) || !Files.exists(path)) return false;
        if (Files.isRegularFile(path)) named.add(source);
        return true;
    }

    private void write(String version) throws IOException {
        for (String file : FILES) named.addAll(filesBelow(file));
        for (String file : named) if (!Page.isPage(file)) copy(root.resolve(file), file);
        for (String own : OWN) {
            try (InputStream in = Objects.requireNonNull(SiteBuilder.class.getResourceAsStream(own), own)) {
                Files.copy(in, place(own), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        Map<String, String> modules = javadoc();
        PageLayout layout = new PageLayout(
                new Navigation(Files.readString(root.resolve("docs/README.md")), pages),
                !modules.isEmpty(),
                "Tutti " + version + commit());
        for (Page page : pages.values()) Files.writeString(place(page.target()), layout.whole(page));
        StringBuilder list = new StringBuilder("<h1>Javadoc</h1>\n<ul>\n");
        for (String m : modules.keySet()) list.append("<li><a href=\"" + m + "/index.html\">" + m + "</a></li>\n");
        Page javadoc = new Page("", "javadoc/index.html", "Javadoc", list + "</ul>\n", List.of(), List.of(), List.of());
        Files.writeString(place(javadoc.target()), layout.whole(javadoc));
        writeHighlighter();
        writeIndex(modules);
    }

    private void writeHighlighter() throws IOException {
        Files.writeString(place("highlight/core.js"), Highlighter.core());
        Set<String> languages = new TreeSet<>();
        for (Page page : pages.values()) languages.addAll(page.languages());
        for (String language : languages) {
            Files.writeString(place("highlight/" + language + ".js"), Highlighter.language(language));
        }
    }

    private void writeIndex(Map<String, String> modules) throws IOException {
        List<SearchIndex.Entry> entries = SearchIndex.entries(pages.values());
        for (var m : modules.entrySet()) {
            entries.addAll(JavadocIndex.entries(root.resolve(m.getValue()), "javadoc/" + m.getKey()));
        }
        for (var script : SearchIndex.scripts(entries).entrySet()) {
            Files.writeString(place("search/" + script.getKey()), script.getValue());
        }
    }

    /// Replaces the names of programs in the table of examples by links to the pages of the programs.
    private void linkExamples() {
        pages.computeIfPresent("examples/README.md", (source, page) -> {
            String linked = NAME.matcher(page.html())
                    .replaceAll(name -> pages.containsKey("examples/" + name.group() + ".java")
                            ? "<a href=\"" + name.group() + ".html\">" + name.group() + "</a>"
                            : name.group());
            return new Page(
                    source, page.target(), page.title(), linked, page.sections(), page.links(), page.languages());
        });
    }

    /// Returns the commit of the checkout, or an empty string without a repository or without git.
    private String commit() {
        if (!Files.exists(root.resolve(".git"))) return "";
        try {
            Process git = new ProcessBuilder("git", "rev-parse", "--short=10", "HEAD")
                    .directory(root.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String commit = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return commit.matches("[0-9a-f]+") ? ", commit " + commit : "";
        } catch (IOException _) {
            return ""; // no git
        }
    }

    /// Copies the rendered Javadoc of each module. Returns the folders of this Javadoc in the checkout, by the
    /// modules' names.
    private Map<String, String> javadoc() throws IOException {
        Map<String, String> folders = new TreeMap<>();
        try (Stream<Path> all = Files.find(root, 2, (_, file) -> file.isDirectory())) {
            all.filter(m -> Files.exists(m.resolve(JAVADOC).resolve("index.html")))
                    .forEach(m -> folders.put("tutti-" + m.getFileName(), root.relativize(m) + "/" + JAVADOC));
        }
        for (var folder : folders.entrySet()) {
            String from = folder.getValue(), to = "javadoc/" + folder.getKey();
            for (String f : filesBelow(from)) copy(root.resolve(f), to + f.substring(from.length()));
        }
        return folders;
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private Path place(String target) throws IOException {
        Path place = site.resolve(target);
        Files.createDirectories(Objects.requireNonNull(place.getParent()));
        return place;
    }

    private void copy(Path from, String target) throws IOException {
        Files.copy(from, place(target), StandardCopyOption.REPLACE_EXISTING);
    }

    /// Returns the files below a folder, as paths in the checkout, or the file itself.
    private List<String> filesBelow(String folder) {
        try (Stream<Path> files = Files.walk(root.resolve(folder))) {
            return files.filter(Files::isRegularFile)
                    .map(f -> root.relativize(f).toString().replace('\\', '/'))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
