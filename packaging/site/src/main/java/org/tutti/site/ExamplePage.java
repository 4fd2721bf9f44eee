package org.tutti.site;

import java.util.List;

/// The page of an example: the leading comment, which is Markdown, then the program.
final class ExamplePage {
    private ExamplePage() {}

    static boolean isExample(String source) {
        return source.matches("examples/\\w+\\.java");
    }

    /// @param source `examples/Hello.java`
    /// @param program the text of the file
    static Page of(String source, String program) {
        String file = source.substring(source.lastIndexOf('/') + 1);
        List<String> lines = program.lines().toList();
        int end = lines.getFirst().equals("/*") ? lines.indexOf(" */") : -1;
        StringBuilder text = new StringBuilder("# " + file.replace(".java", "") + "\n\n");
        for (String line : lines.subList(end < 0 ? 0 : 1, Math.max(end, 0))) {
            text.append(line.replaceFirst("^ \\* ?", "")).append('\n');
        }
        text.append("\n```java\n")
                .append(String.join("\n", lines.subList(end + 1, lines.size())).strip())
                .append("\n```\n\n[All examples](README.md)\n");
        return Markdown.page(source, text.toString());
    }
}
