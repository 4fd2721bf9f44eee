package org.tutti.site;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The groups of pages in `docs/README.md`, and the order of pages.
final class Navigation {
    /// A bold line of the index, and the pages below it.
    record Group(String name, List<Page> pages) {}

    private static final Pattern PART =
            Pattern.compile("(?m)^\\*\\*(?<name>[^*]+)\\*\\*$|\\]\\((?<link>[^)#]+)(#[^)]*)?\\)");

    private final List<Group> groups = new ArrayList<>();
    private final List<List<Page>> sequences;

    /// @param index the text of `docs/README.md`
    /// @param pages by source
    Navigation(String index, Map<String, Page> pages) {
        Matcher part = PART.matcher(index);
        while (part.find()) {
            if (part.group("name") != null) {
                groups.add(new Group(part.group("name"), new ArrayList<>()));
            } else if (!groups.isEmpty()) {
                Path linked = Path.of("docs", Objects.requireNonNull(part.group("link")));
                Page page = pages.get(linked.normalize().toString().replace('\\', '/'));
                if (page != null) groups.getLast().pages().add(page);
            }
        }
        sequences = List.of(
                groups.stream()
                        .flatMap(group -> group.pages().stream())
                        .distinct()
                        .toList(),
                below("examples/", pages),
                below("docs/decisions/", pages));
    }

    private static List<Page> below(String folder, Map<String, Page> pages) {
        return pages.values().stream()
                .filter(page -> page.source().startsWith(folder))
                .filter(page -> !page.source().endsWith("README.md"))
                .toList();
    }

    List<Group> groups() {
        return groups;
    }

    /// Returns the page that precedes the page at `target` (`step` -1) or follows it (`step` 1) in the sequence;
    /// empty if no such page exists.
    ///
    /// @param step -1 or 1
    Stream<Page> neighbor(String target, int step) {
        for (List<Page> sequence : sequences) {
            for (int i = 0; i < sequence.size(); i++) {
                if (!sequence.get(i).target().equals(target)) continue;
                int other = i + step;
                return other < 0 || other == sequence.size() ? Stream.empty() : Stream.of(sequence.get(other));
            }
        }
        return Stream.empty();
    }
}
