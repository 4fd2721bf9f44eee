package org.tutti.site;

import java.util.List;
import java.util.stream.Collectors;

/// Encloses a page's text with the search, the navigation and the contents of the page.
///
/// On a narrow screen the navigation and the contents are closed; on a wide screen, two inline scripts open them
/// before the page is painted.
///
/// @param navigation the groups of pages
/// @param hasJavadoc whether the site contains Javadoc
/// @param version the text at the end of each page
record PageLayout(Navigation navigation, boolean hasJavadoc, String version) {
    /// Below this number of sections a page has no list of contents.
    private static final int FEWEST_SECTIONS = 3;

    String whole(Page page) {
        String up = Page.up(page.target());
        String scripts = page.languages().stream()
                .map(language -> "<script defer src=\"" + up + "highlight/" + language + ".js\"></script>\n")
                .collect(Collectors.joining());
        if (!scripts.isEmpty()) scripts = "<script defer src=\"" + up + "highlight/core.js\"></script>\n" + scripts;
        return """
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <title>%s · Tutti</title>
                <link rel="stylesheet" href="%ssite.css">
                %s<script defer src="%ssite.js"></script>
                <script defer src="%ssearch.js" data-up="%s"></script>
                </head>
                <body>
                <a class="skip" href="#content">Skip to the text</a>
                <header>
                <a class="home" href="%sindex.html">Tutti</a>
                <div role="search">
                <input id="search" type="search" placeholder="Search" aria-label="Search">
                <ol id="found" hidden></ol>
                </div>
                <details class="menu">
                <summary>Pages</summary>
                %s</details>
                <script>document.querySelector(".menu").open = matchMedia("(min-width: 50rem)").matches;</script>
                </header>
                <main id="content">
                %s%s<footer>%s</footer>
                </main>
                </body>
                </html>
                """.formatted(
                        SiteBuilder.escaped(page.title()),
                        up,
                        scripts,
                        up,
                        up,
                        up,
                        up,
                        pages(page.target(), up),
                        withContents(page),
                        neighbors(page.target(), up),
                        SiteBuilder.escaped(version));
    }

    private String pages(String target, String up) {
        StringBuilder nav = new StringBuilder("<nav aria-label=\"Pages\">\n");
        for (Navigation.Group group : navigation.groups()) {
            boolean isOpen =
                    group.pages().stream().anyMatch(page -> page.target().equals(target))
                            || group == navigation.groups().getFirst();
            nav.append("<details" + (isOpen ? " open" : "") + "><summary>" + SiteBuilder.escaped(group.name())
                    + "</summary>\n");
            for (Page page : group.pages()) {
                String here = page.target().equals(target) ? " aria-current=\"page\"" : "";
                nav.append("<a" + here + " href=\"" + up + page.target() + "\">" + SiteBuilder.escaped(page.title())
                        + "</a>\n");
            }
            nav.append("</details>\n");
        }
        if (hasJavadoc) nav.append("<a href=\"" + up + "javadoc/index.html\">Javadoc</a>\n");
        return nav.append("</nav>\n").toString();
    }

    /// Returns the text with a list of the sections after the title.
    private static String withContents(Page page) {
        List<Page.Section> sections = page.sections().stream()
                .filter(section -> section.level() == 2 || section.level() == 3)
                .toList();
        if (sections.size() < FEWEST_SECTIONS) return page.html();
        StringBuilder list =
                new StringBuilder("<details class=\"contents\">\n<summary>On this page</summary>\n<nav aria-label=\"On"
                        + " this page\">\n");
        for (Page.Section section : sections) {
            list.append("<a class=\"level" + section.level() + "\" href=\"#" + section.anchor() + "\">"
                    + SiteBuilder.escaped(section.heading()) + "</a>\n");
        }
        list.append("</nav>\n</details>\n<script>document.querySelector(\".contents\").open ="
                + " matchMedia(\"(min-width: 87rem)\").matches;</script>\n");
        int title = page.html().indexOf("</h1>") + "</h1>".length();
        return page.html().substring(0, title) + "\n" + list
                + page.html().substring(title).stripLeading();
    }

    private String neighbors(String target, String up) {
        String before = navigation
                .neighbor(target, -1)
                .map(page -> link("prev", up, "← ", page, ""))
                .collect(Collectors.joining());
        String after = navigation
                .neighbor(target, 1)
                .map(page -> link("next", up, "", page, " →"))
                .collect(Collectors.joining());
        if (before.isEmpty() && after.isEmpty()) return "";
        return "<nav class=\"neighbors\" aria-label=\"Previous and next page\">" + before + after + "</nav>\n";
    }

    private static String link(String rel, String up, String first, Page page, String last) {
        return "<a rel=\"" + rel + "\" href=\"" + up + page.target() + "\">" + first + SiteBuilder.escaped(page.title())
                + last + "</a>";
    }
}
