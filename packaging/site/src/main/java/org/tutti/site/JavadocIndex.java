package org.tutti.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the search index that `javadoc` writes for a module, for the search of the site.
///
///     package-search-index.js   … = [{"m":"org.tutti.mpi","l":"org.tutti.mpi"}, …
///     type-search-index.js      … = [{"p":"org.tutti.mpi","l":"Comm"}, …
///     member-search-index.js    … = [{"p":"org.tutti.mpi","c":"Comm","l":"allreduce(int, Op)","u":"allreduce(int,…)"},
/// …
final class JavadocIndex {
    private static final Pattern ENTRY = Pattern.compile("\\{(\"\\w+\":\"[^\"]*\",?)+\\}");
    private static final Pattern FIELD = Pattern.compile("\"(\\w+)\":\"([^\"]*)\"");

    private JavadocIndex() {}

    /// Returns the types and members of a module.
    ///
    /// @param folder the rendered Javadoc
    /// @param target the path in the site
    static List<SearchIndex.Entry> entries(Path folder, String target) throws IOException {
        Map<String, String> modules = new HashMap<>();
        for (Map<String, String> p : records(folder.resolve("package-search-index.js"))) {
            if (p.containsKey("m")) modules.put(field(p, "l"), field(p, "m") + "/");
        }
        List<SearchIndex.Entry> entries = new ArrayList<>();
        for (String file : List.of("type-search-index.js", "member-search-index.js")) {
            for (Map<String, String> one : records(folder.resolve(file))) {
                if (!one.containsKey("p")) continue; // a page of Javadoc, such as all classes
                String name = field(one, "p"), label = field(one, "l"), type = one.getOrDefault("c", label);
                String page =
                        target + "/" + modules.getOrDefault(name, "") + name.replace('.', '/') + "/" + type + ".html";
                boolean member = one.containsKey("c");
                String anchor = member ? "#" + one.getOrDefault("u", label) : "";
                entries.add(new SearchIndex.Entry(
                        page + anchor, member ? type + "." + label : label, "Javadoc of " + name));
            }
        }
        return entries;
    }

    private static String field(Map<String, String> entry, String name) {
        String value = entry.get(name);
        if (value == null)
            throw new SiteException("Javadoc: an entry of the search index lacks " + name + ": " + entry);
        return value;
    }

    private static List<Map<String, String>> records(Path file) throws IOException {
        List<Map<String, String>> records = new ArrayList<>();
        if (!Files.exists(file)) return records;
        Matcher entry = ENTRY.matcher(Files.readString(file));
        while (entry.find()) {
            Map<String, String> one = new HashMap<>();
            Matcher field = FIELD.matcher(entry.group());
            while (field.find()) one.put(field.group(1), field.group(2));
            records.add(one);
        }
        return records;
    }
}
