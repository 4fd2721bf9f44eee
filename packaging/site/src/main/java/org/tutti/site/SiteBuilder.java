package org.tutti.site;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
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
import java.util.stream.Stream;

/// Generates the site of a checkout.
public final class SiteBuilder {
    /// Documents outside of docs, and further files of the site.
    private static final List<String> PAGES =
            List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md");

    private static final List<String> FILES = List.of("LICENSE", "docs", "examples");
    private static final List<String> OWN = List.of("site.css", "search.js");
    private static final String JAVADOC = "target/reports/apidocs";

    private final Path root;
    private final Path site;
    private final Map<String, Page> pages = new LinkedHashMap<>();
    private final Set<String> named = new TreeSet<>();

    private SiteBuilder(Path root, Path site) {
        this.root = root;
        this.site = site;
    }

    /// @param arguments the checkout, and the output directory
    public static void main(String[] arguments) throws IOException {
        int pages = build(Path.of(arguments[0]), Path.of(arguments[1]));
        System.out.println("site: " + pages + " pages in " + arguments[1]);
    }

    /// Returns the number of pages.
    ///
    /// @throws SiteException with every broken link
    static int build(Path root, Path site) throws IOException {
        SiteBuilder builder = new SiteBuilder(root.toAbsolutePath().normalize(), site);
        builder.read();
        builder.write();
        return builder.pages.size();
    }

    private void read() throws IOException {
        List<String> sources = new ArrayList<>(PAGES);
        for (String file : filesBelow("docs")) if (Page.isPage(file)) sources.add(file);
        for (String source : sources) pages.put(source, Markdown.page(source, Files.readString(root.resolve(source))));
        List<String> broken = new LinkChecker(pages, this::isFile).broken();
        if (!broken.isEmpty()) throw new SiteException(String.join("\n", broken));
    }

    /// Returns whether a link to it is valid; a file that is only referenced by a link, such as a test program,
    /// becomes part of the site.
    private boolean isFile(String source) {
        Path path = root.resolve(source).normalize();
        if (!path.startsWith(root) || !Files.exists(path)) return false;
        if (Files.isRegularFile(path)) named.add(source);
        return true;
    }

    private void write() throws IOException {
        for (String file : FILES) named.addAll(filesBelow(file));
        for (String file : named) if (!Page.isPage(file)) copy(root.resolve(file), file);
        for (String own : OWN) {
            try (InputStream in = Objects.requireNonNull(SiteBuilder.class.getResourceAsStream(own), own)) {
                Files.copy(in, place(own), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        Files.writeString(place("pages.js"), SearchIndex.script(pages.values()));
        List<String> modules = javadoc();
        for (Page page : pages.values()) {
            Files.writeString(place(page.target()), whole(page.target(), page.title(), page.html(), modules));
        }
        StringBuilder list = new StringBuilder("<h1>Javadoc</h1>\n<ul>\n");
        for (String m : modules) list.append("<li><a href=\"" + m + "/index.html\">" + m + "</a></li>\n");
        Files.writeString(
                place("javadoc/index.html"), whole("javadoc/index.html", "Javadoc", list + "</ul>\n", modules));
    }

    /// Copies the rendered Javadoc of each module; returns the names.
    private List<String> javadoc() throws IOException {
        Map<String, String> folders = new TreeMap<>();
        try (Stream<Path> all = Files.find(root, 2, (_, file) -> file.isDirectory())) {
            all.filter(m -> Files.exists(m.resolve(JAVADOC).resolve("index.html")))
                    .forEach(m -> folders.put("tutti-" + m.getFileName(), root.relativize(m) + "/" + JAVADOC));
        }
        for (var folder : folders.entrySet()) {
            String from = folder.getValue(), to = "javadoc/" + folder.getKey();
            for (String f : filesBelow(from)) copy(root.resolve(f), to + f.substring(from.length()));
        }
        return List.copyOf(folders.keySet());
    }

    private String whole(String target, String title, String html, List<String> modules) {
        String up = "../".repeat((int) target.chars().filter(c -> c == '/').count());
        StringBuilder nav = new StringBuilder("<a class=\"home\" href=\"" + up + "index.html\">Tutti</a>\n");
        Page index = Objects.requireNonNull(pages.get("docs/README.md"));
        List<String> sources = index.links().stream()
                .map(l -> Path.of("docs", l).normalize().toString())
                .toList();
        for (String source : sources) {
            Page page = pages.get(source);
            if (page == null) continue;
            boolean here = page.target().equals(target);
            nav.append("<a " + (here ? "class=\"here\" " : "") + "href=\"" + up + page.target() + "\">"
                    + escaped(page.title()) + "</a>\n");
        }
        if (!modules.isEmpty()) nav.append("<a href=\"" + up + "javadoc/index.html\">Javadoc</a>\n");
        return """
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <title>%s · Tutti</title>
                <link rel="stylesheet" href="%ssite.css">
                <script defer src="%spages.js"></script>
                <script defer src="%ssearch.js" data-up="%s"></script>
                </head>
                <body>
                <nav>
                <input id="search" type="search" placeholder="Search" aria-label="Search">
                <ol id="found" hidden></ol>
                %s</nav>
                <main>
                %s</main>
                </body>
                </html>
                """.formatted(escaped(title), up, up, up, up, nav, html);
    }

    private static String escaped(String text) {
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

    /// Returns paths in the checkout; the file itself if it is not a folder.
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
