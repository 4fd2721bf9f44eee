package org.tutti.site;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/// Checks the links of all pages, except links to other sites.
final class LinkChecker {
    private final Map<String, Page> pages;
    private final Predicate<String> isFile;

    /// @param pages by source
    /// @param isFile whether a path in the checkout becomes a file of the site
    LinkChecker(Map<String, Page> pages, Predicate<String> isFile) {
        this.pages = pages;
        this.isFile = isFile;
    }

    static boolean isExternal(String link) {
        return link.matches("[a-z]+:.*");
    }

    /// Returns the broken links, as `docs/a.md: b.md#c leads nowhere: …`.
    List<String> broken() {
        List<String> broken = new ArrayList<>();
        for (Page page : pages.values()) {
            for (String link : page.links()) {
                String why = isExternal(link) ? "" : why(page, link);
                if (!why.isEmpty()) broken.add(page.source() + ": " + link + " leads nowhere: " + why);
            }
        }
        return broken;
    }

    private String why(Page from, String link) {
        int hash = link.indexOf('#');
        String path = hash < 0 ? link : link.substring(0, hash), anchor = hash < 0 ? "" : link.substring(hash + 1);
        String source = path.isEmpty() ? from.source() : resolve(from.source(), path);
        Page page = pages.get(source);
        if (page == null) page = pages.get(source + "/README.md");
        if (page != null) {
            return anchor.isEmpty() || page.hasAnchor(anchor) ? "" : page.source() + " has no heading " + anchor;
        }
        return isFile.test(source) ? "" : "there is no " + source;
    }

    private static String resolve(String from, String path) {
        Path folder = Path.of(from).getParent();
        Path resolved = (folder == null ? Path.of(path) : folder.resolve(path)).normalize();
        return resolved.toString().replace('\\', '/');
    }
}
