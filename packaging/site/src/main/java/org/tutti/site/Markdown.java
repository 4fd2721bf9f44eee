package org.tutti.site;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.ext.heading.anchor.IdGenerator;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;
import org.commonmark.renderer.text.TextContentRenderer;

/// Renders a document, and collects headings, text and links for the search and the link check.
final class Markdown {
    private static final List<Extension> EXTENSIONS =
            List.of(TablesExtension.create(), HeadingAnchorExtension.create());
    private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();
    private static final TextContentRenderer PLAIN =
            TextContentRenderer.builder().extensions(EXTENSIONS).build();

    /// A link to an example, as written on any page.
    private static final Pattern EXAMPLE = Pattern.compile("(\\.\\./)*examples/\\w+\\.java");

    private static final Pattern HEADING = Pattern.compile("<(h[23]) id=\"([^\"]+)\">(.*?)</\\1>");

    private Markdown() {}

    static Page page(String source, String text) {
        Node document = PARSER.parse(text);
        Finder finder = new Finder();
        document.accept(finder);
        finder.end();
        if (finder.titles != 1) {
            throw new SiteException(
                    source + ": has " + finder.titles + " headings of the first level; exactly one must be the title");
        }
        String title = finder.sections.getFirst().heading();
        String html = anchored(renderer().render(document));
        return new Page(
                source, Page.target(source), title, html, finder.sections, finder.links, List.copyOf(finder.languages));
    }

    private static HtmlRenderer renderer() {
        return HtmlRenderer.builder()
                .extensions(EXTENSIONS)
                .attributeProviderFactory(context -> (node, tag, attributes) -> {
                    if (node instanceof Link) attributes.computeIfPresent("href", (k, v) -> target(v));
                    if (node instanceof Image) attributes.putIfAbsent("loading", "lazy");
                })
                .nodeRendererFactory(CodeBlocks::new)
                .build();
    }

    /// Returns the text with a link to each heading.
    private static String anchored(String html) {
        return HEADING.matcher(html)
                .replaceAll("<$1 id=\"$2\">$3 <a class=\"anchor\" href=\"#$2\""
                        + " aria-label=\"Link to this section\">#</a></$1>");
    }

    /// Returns a link's target in the site.
    private static String target(String link) {
        if (LinkChecker.isExternal(link)) return link;
        int hash = link.indexOf('#');
        String path = hash < 0 ? link : link.substring(0, hash);
        String anchor = hash < 0 ? "" : link.substring(hash);
        if (Page.isPage(path) || EXAMPLE.matcher(path).matches()) path = Page.target(path);
        else if (!path.isEmpty()
                && !path.substring(path.lastIndexOf('/') + 1).contains(".")
                && !path.endsWith("LICENSE")) path += "/index.html";
        return path + anchor;
    }

    /// Visits a document and collects headings, text and links. Used once.
    private static final class Finder extends AbstractVisitor {
        final List<Page.Section> sections = new ArrayList<>();
        final List<String> links = new ArrayList<>();
        final Set<String> languages = new TreeSet<>();
        int titles;
        private final IdGenerator ids = IdGenerator.builder().build();
        private final StringBuilder text = new StringBuilder();
        private String anchor = "", heading = "";
        private int level;

        @Override
        public void visit(Heading node) {
            end();
            if (node.getLevel() == 1) titles++;
            level = node.getLevel();
            heading = PLAIN.render(node).strip();
            anchor = ids.generateId(idText(node));
        }

        /// Returns the text from which the extension generates an id.
        private static String idText(Heading node) {
            StringBuilder text = new StringBuilder();
            node.accept(new AbstractVisitor() {
                @Override
                public void visit(Text t) {
                    text.append(t.getLiteral());
                }

                @Override
                public void visit(Code c) {
                    text.append(c.getLiteral());
                }
            });
            return text.toString().strip().toLowerCase(Locale.ROOT);
        }

        void end() {
            if (!heading.isEmpty()) sections.add(new Page.Section(level, anchor, heading, text.toString()));
            text.setLength(0);
        }

        @Override
        public void visit(Link node) {
            links.add(node.getDestination());
            visitChildren(node);
        }

        @Override
        public void visit(Image node) {
            links.add(node.getDestination());
        }

        @Override
        public void visit(Text node) {
            text.append(node.getLiteral());
            if (node.getNext() == null) text.append(' ');
        }

        @Override
        public void visit(Code node) {
            text.append(node.getLiteral());
            if (node.getNext() == null) text.append(' ');
        }

        @Override
        public void visit(SoftLineBreak node) {
            text.append(' ');
        }

        @Override
        public void visit(FencedCodeBlock node) {
            String language = CodeBlocks.language(node);
            if (Highlighter.has(language)) languages.add(language);
            text.append(node.getLiteral()).append(' ');
        }

        @Override
        public void visit(IndentedCodeBlock node) {
            text.append(node.getLiteral()).append(' ');
        }
    }
}
