package org.tutti.device.opencl;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tutti.device.source.KernelSource;
import org.tutti.device.source.SourceException;
import org.tutti.device.source.Token;
import org.tutti.device.source.Token.Kind;

/// Translates kernels from CUDA C to OpenCL C: the result is a prelude of macros, followed by the source with
/// replaced words. Line numbers do not change.
///
///     extern "C" __global__ void f(const float* x)   →   __kernel void f_(const __global float* x)
///     __device__ float g(float x)                    →   static float g_(float x)
///     __shared__ float tile[256];                    →   __local float tile[256];
///     long long n = 5LL; float(n)                    →   long n = 5L; (float)(n)
///
/// Every pointer refers to global memory. Unknown constructs are rejected with the line number.
final class OpenClTranslator {
    private static final Set<String> TYPE_KEYWORDS = Set.of(
            "const",
            "volatile",
            "signed",
            "unsigned",
            "char",
            "short",
            "int",
            "long",
            "float",
            "double",
            "void",
            "bool");
    private static final Set<String> QUALIFIERS = Set.of("const", "volatile");

    private static final Map<String, String> REPLACEMENTS = Map.of(
            "__global__", "__kernel",
            "__constant__", "__constant",
            "__restrict__", "restrict",
            "__restrict", "restrict");

    /// Optional qualifiers of a function, which are removed.
    private static final Set<String> DROPPED =
            Set.of("static", "inline", "__inline__", "__forceinline__", "__noinline__", "__host__");

    /// Rejected words: keywords of C++, and names without an equivalent in OpenCL C.
    private static final Set<String> REFUSED = Set.of(
            ("template typename class namespace operator auto new delete using nullptr try catch throw this virtual"
                            + " decltype constexpr static_cast reinterpret_cast const_cast dynamic_cast asm texture"
                            + " surface warpSize cooperative_groups")
                    .split(" "));

    /// A compiler hint without an equivalent in OpenCL C, which is removed.
    private static final String LAUNCH_BOUNDS = "__launch_bounds__";

    private static final Set<String> KEYWORDS = Set.of(
            "kernel", "global", "local", "constant", "private", "generic", "read_only", "write_only", "half", "pipe");

    private static final String PRELUDE = prelude();

    /// The names with `__` that the prelude defines.
    private static final Set<String> KNOWN = PRELUDE.lines()
            .filter(line -> line.startsWith("#define __"))
            .map(line -> line.split("[ (]")[1])
            .collect(Collectors.toSet());

    private final List<Token> tokens;

    /// Functions of the source, and keywords of OpenCL C that are ordinary names in C. These names get an
    /// appended `_`, which avoids collisions with built-in functions such as `all` and `step`.
    private final Set<String> renamed = new HashSet<>(KEYWORDS);

    private final StringBuilder out = new StringBuilder();
    private int at;
    private int depth;

    private OpenClTranslator(List<Token> tokens) {
        this.tokens = tokens;
        for (int i = 0; i < tokens.size(); i++) {
            if (isAt(i, "__global__") || isAt(i, "__device__")) functionAfter(i).ifPresent(renamed::add);
        }
    }

    /// Returns the name of a kernel in the translated source.
    static String renamed(String function) {
        return function + "_";
    }

    /// Returns the word before the first parenthesis; empty if a variable declaration ends before that.
    private Optional<String> functionAfter(int from) {
        String name = "";
        for (int i = from; i < tokens.size() && !isAt(i, ";") && !isAt(i, "="); i++) {
            if (isAt(i, LAUNCH_BOUNDS)) i = afterParentheses(i);
            if (isAt(i, "(")) return Optional.of(name);
            if (tokens.get(i).kind() == Kind.WORD) name = tokens.get(i).text();
        }
        return Optional.empty();
    }

    private static String prelude() {
        try (InputStream in = OpenClTranslator.class.getResourceAsStream("prelude.cl")) {
            return new String(Objects.requireNonNull(in, "prelude.cl").readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Translates a source. Throws a [SourceException] if the source contains a construct that cannot be
    /// translated.
    static String translate(String source) {
        return PRELUDE + "#line 1 \"" + KernelSource.FILE + "\"\n" + body(source);
    }

    static String body(String source) {
        return new OpenClTranslator(Token.of(source)).run();
    }

    private String run() {
        while (at < tokens.size()) step();
        return out.toString();
    }

    private void step() {
        Token token = tokens.get(at);
        switch (token.kind()) {
            case WORD -> word(token);
            case NUMBER -> {
                out.append(token.text().replaceAll("(?i)([u]?)ll([u]?)$", "$1L$2"));
                at++;
            }
            case DIRECTIVE -> {
                if (token.text().matches("#\\s*include\\b.*")) throw refuse(token, "#include");
                copy();
            }
            case SIGN -> {
                if (token.is("::")) throw refuse(token, "::");
                if (token.is("{")) depth++;
                if (token.is("}")) depth--;
                copy();
            }
            case SPACE, COMMENT, STRING -> copy();
        }
    }

    private void copy() {
        out.append(tokens.get(at++).text());
    }

    private void word(Token token) {
        String text = token.text();
        if (REFUSED.contains(text)) throw refuse(token, text);
        if (TYPE_KEYWORDS.contains(text)) {
            type(token);
        } else if (text.equals("extern")) {
            external(token);
        } else if (text.equals("__device__")) {
            device(token);
        } else if (text.equals(LAUNCH_BOUNDS)) {
            int end = afterParentheses(at);
            newlines(at, end);
            at = end;
        } else if (text.equals("__shared__")) {
            shared(token);
        } else if (DROPPED.contains(text)) {
            if (depth > 0) throw refuse(token, text + " inside a function");
            at++;
        } else if (REPLACEMENTS.containsKey(text)) {
            out.append(REPLACEMENTS.get(text));
            at++;
        } else if (text.startsWith("__") && !KNOWN.contains(text)) {
            throw refuse(token, text);
        } else {
            out.append(renamed.contains(text) ? renamed(text) : text);
            at++;
        }
    }

    /// Returns the index of the next significant token, starting at `from`.
    private int next(int from) {
        int i = from;
        while (i < tokens.size() && !tokens.get(i).counts()) i++;
        return i;
    }

    private boolean isAt(int i, String text) {
        return i < tokens.size() && tokens.get(i).is(text);
    }

    private void external(Token token) {
        int language = next(at + 1);
        if (!isAt(language, "\"C\"")) throw refuse(token, "extern, except in extern \"C\" __global__");
        if (isAt(next(language + 1), "{")) throw refuse(token, "extern \"C\" { ... }; write it before each kernel");
        newlines(at, language + 1);
        at = language + 1;
    }

    /// Returns the index of the token after a word and the following parentheses.
    private int afterParentheses(int word) {
        int open = 0, i = next(word + 1);
        if (!isAt(i, "(")) return i;
        do {
            if (isAt(i, "(")) open++;
            if (isAt(i, ")")) open--;
            i++;
        } while (open > 0 && i < tokens.size());
        return i;
    }

    private void device(Token token) {
        if (functionAfter(at).isEmpty()) throw refuse(token, "a variable with __device__");
        out.append("static");
        at++;
    }

    /// Translates a `__shared__` declaration. Rejects pointers.
    private void shared(Token token) {
        for (int i = at; i < tokens.size() && !isAt(i, ";"); i++) {
            if (TYPE_KEYWORDS.contains(tokens.get(i).text()) && isAt(next(i + 1), "*")) {
                throw refuse(token, "a pointer with __shared__");
            }
        }
        out.append("__local");
        at++;
    }

    /// Translates the keywords of a type, depending on the following tokens.
    private void type(Token first) {
        int end = at, last = at;
        StringBuilder qualifiers = new StringBuilder();
        StringBuilder keywords = new StringBuilder();
        while (end < tokens.size() && TYPE_KEYWORDS.contains(tokens.get(end).text())) {
            String word = tokens.get(end).text();
            if (QUALIFIERS.contains(word)) qualifiers.append(word).append(' ');
            else keywords.append(keywords.isEmpty() ? "" : " ").append(word);
            last = end + 1;
            end = next(last);
        }
        String type = opencl(first, keywords.toString());
        if (isAt(end, "&") && !type.isEmpty()) throw refuse(first, "a reference");
        boolean isPointer = isAt(end, "*") && !type.isEmpty();
        boolean isCast = isAt(end, "(") && qualifiers.isEmpty() && depth > 0;
        if (isPointer) qualifiers.append("__global ");
        out.append(isCast ? "(" + type + ")" : (qualifiers + type).stripTrailing());
        newlines(at, last);
        at = last;
    }

    private static String opencl(Token at, String keywords) {
        String sorted = Stream.of(keywords.split(" ")).sorted().collect(Collectors.joining(" "));
        return switch (sorted) {
            case "long long", "int long long", "long long signed" -> "long";
            case "long long unsigned", "int long long unsigned" -> "ulong";
            default -> {
                if (sorted.contains("long")) {
                    throw new SourceException(
                            at.line(), "the size of long depends on the platform; use int or long long");
                }
                yield keywords;
            }
        };
    }

    /// Preserves the line breaks of omitted tokens.
    private void newlines(int from, int to) {
        for (int i = from; i < to; i++) {
            if (tokens.get(i).kind() != Kind.WORD) {
                out.append("\n".repeat((int)
                        tokens.get(i).text().chars().filter(c -> c == '\n').count()));
            }
        }
    }

    private static SourceException refuse(Token token, String construct) {
        return new SourceException(
                token.line(), "'" + construct + "' is not in the subset of CUDA C that is translated for OpenCL");
    }
}
