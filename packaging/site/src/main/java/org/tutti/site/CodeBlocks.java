package org.tutti.site;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.Node;
import org.commonmark.renderer.NodeRenderer;
import org.commonmark.renderer.html.HtmlNodeRendererContext;
import org.commonmark.renderer.html.HtmlWriter;

/// Renders a code block. A block with a language is marked for the highlighter. In any other block, prompts and
/// output are marked, and the copy button omits them.
///
///     $ tutti run -n 2 Hello.java                 <span class="prompt">$ </span>tutti run …
///                                            ──▶
///     Hello, World! …                             <span class="output">Hello, World! …</span>
final class CodeBlocks implements NodeRenderer {
    private static final Pattern PROMPT = Pattern.compile("(\\$|>>>|\\.\\.\\.|jshell>) .*");
    private static final Pattern COMMAND =
            Pattern.compile("(\\./)?(tutti|mvnw|mvn|gradle|gradlew|java|mpirun|srun) .*");

    private static final Map<String, String> ALIASES = Map.of("sh", "bash", "shell", "bash", "html", "xml");

    private final HtmlWriter html;

    CodeBlocks(HtmlNodeRendererContext context) {
        html = context.getWriter();
    }

    @Override
    public Set<Class<? extends Node>> getNodeTypes() {
        return Set.of(FencedCodeBlock.class, IndentedCodeBlock.class);
    }

    @Override
    public void render(Node node) {
        String language = node instanceof FencedCodeBlock block ? language(block) : "";
        String code = switch (node) {
            case FencedCodeBlock block -> block.getLiteral();
            case IndentedCodeBlock block -> block.getLiteral();
            default -> throw new IllegalArgumentException(node.toString());
        };
        html.line();
        html.tag("pre");
        html.tag("code", language.isEmpty() ? Map.of() : Map.of("class", "language-" + language));
        html.raw(language.isEmpty() ? session(code.lines().toList()) : SiteBuilder.escaped(code));
        html.tag("/code");
        html.tag("/pre");
        html.line();
    }

    /// Returns the highlighter's name for the language, or an empty string for plain text.
    static String language(FencedCodeBlock block) {
        String info = block.getInfo() == null ? "" : block.getInfo().strip().toLowerCase(Locale.ROOT);
        return ALIASES.getOrDefault(info, info);
    }

    /// Returns lines in which prompts and output are marked. Output of a block without prompts begins after the first
    /// blank line that follows a command.
    private static String session(List<String> lines) {
        boolean prompts = lines.stream().anyMatch(line -> PROMPT.matcher(line).matches());
        StringBuilder marked = new StringBuilder();
        boolean commands = false, output = false;
        for (String line : lines) {
            Matcher prompt = PROMPT.matcher(line);
            if (prompt.matches()) {
                String sign = prompt.group(1) + " ";
                marked.append(span("prompt", sign)).append(SiteBuilder.escaped(line.substring(sign.length())));
                marked.append('\n');
                continue;
            }
            boolean command = COMMAND.matcher(line).matches();
            if (command) output = false;
            else if (commands && line.isBlank()) output = true;
            commands |= command;
            marked.append(prompts || output ? span("output", line + "\n") : SiteBuilder.escaped(line) + "\n");
        }
        return marked.toString();
    }

    private static String span(String name, String text) {
        return "<span class=\"" + name + "\">" + SiteBuilder.escaped(text) + "</span>";
    }
}
