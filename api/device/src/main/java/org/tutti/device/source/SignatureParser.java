package org.tutti.device.source;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.tutti.device.source.KernelSignature.Parameter;

/// Parses the declarations of kernels.
final class SignatureParser {
    private static final String KERNEL = "__global__";
    private static final Set<String> RESTRICT = Set.of("__restrict__", "__restrict", "restrict");
    private static final Set<String> TERMINATORS = Set.of(";", "{", "}");

    /// The types. The key consists of the keywords in alphabetical order, because C permits any order.
    private static final Map<String, ParameterType> TYPES = Map.ofEntries(
            Map.entry("char", ParameterType.CHAR),
            Map.entry("char signed", ParameterType.CHAR),
            Map.entry("char unsigned", ParameterType.UNSIGNED_CHAR),
            Map.entry("short", ParameterType.SHORT),
            Map.entry("short unsigned", ParameterType.UNSIGNED_SHORT),
            Map.entry("int", ParameterType.INT),
            Map.entry("unsigned", ParameterType.UNSIGNED_INT),
            Map.entry("int unsigned", ParameterType.UNSIGNED_INT),
            Map.entry("long long", ParameterType.LONG_LONG),
            Map.entry("int long long", ParameterType.LONG_LONG),
            Map.entry("long long unsigned", ParameterType.UNSIGNED_LONG_LONG),
            Map.entry("int long long unsigned", ParameterType.UNSIGNED_LONG_LONG),
            Map.entry("float", ParameterType.FLOAT),
            Map.entry("double", ParameterType.DOUBLE));

    private final List<Token> tokens;
    private final boolean isBalanced;
    private int at;

    /// The number of open braces. The next field contains this number at the start of each open `extern "C"`
    /// block.
    private int depth;

    private final Deque<Integer> blocks = new ArrayDeque<>();
    private boolean hasBlocks;

    SignatureParser(List<Token> all) {
        tokens = all.stream().filter(Token::counts).toList();
        isBalanced = count("{") == count("}");
    }

    private long count(String text) {
        return tokens.stream().filter(token -> token.is(text)).count();
    }

    List<KernelSignature> kernels() {
        List<KernelSignature> kernels = new ArrayList<>();
        Set<String> names = new TreeSet<>();
        while (at < tokens.size()) {
            if (!tokens.get(at).is(KERNEL)) {
                brace(tokens.get(at));
                at++;
                continue;
            }
            KernelSignature kernel = kernel();
            if (isNext(";")) continue; // a prototype
            if (!names.add(kernel.name())) throw error(kernel.line(), "duplicate kernel " + kernel.name());
            kernels.add(kernel);
        }
        if (kernels.isEmpty()) throw error(1, "no kernel: declare one as extern \"C\" __global__ void NAME(...)");
        return kernels;
    }

    /// Parses a kernel's declaration from `__global__` to the closing parenthesis.
    private KernelSignature kernel() {
        int line = tokens.get(at).line();
        boolean isC = isC();
        at++;
        attributes();
        if (!take("void")) throw error(line, "a kernel returns void");
        attributes();
        Token name = next();
        if (name.kind() != Token.Kind.WORD || !take("(")) {
            throw error(
                    name.line(),
                    "a kernel is declared as extern \"C\" __global__ void NAME(...), not ... void " + name.text() + " "
                            + (at < tokens.size() ? tokens.get(at).text() : ""));
        }
        if (!isC) {
            throw error(line, "kernel " + name.text() + " must be extern \"C\"; otherwise the name is not found");
        }
        List<Parameter> parameters = new ArrayList<>();
        take("void"); // (void) has no parameters
        if (isNext(")")) {
            return new KernelSignature(name.text(), parameters, line);
        }
        do parameters.add(parameter(name.text()));
        while (take(","));
        if (!take(")")) throw error(next().line(), "kernel " + name.text() + ": ) or , is missing");
        return new KernelSignature(name.text(), parameters, line);
    }

    /// Returns whether `extern "C"` precedes this declaration, or encloses it.
    private boolean isC() {
        for (int i = at - 1; i > 0 && !TERMINATORS.contains(tokens.get(i).text()); i--) {
            if (isLinkage(i)) return true;
        }
        return !blocks.isEmpty() || !isBalanced && hasBlocks;
    }

    private boolean isLinkage(int i) {
        return i > 0 && tokens.get(i).is("\"C\"") && tokens.get(i - 1).is("extern");
    }

    /// Tracks the start and end of `extern "C"` blocks. If the braces are not balanced, for example because
    /// each branch of an `#if` opens the same block, every kernel after the start of the first `extern "C"`
    /// block is considered to be enclosed in such a block.
    private void brace(Token token) {
        if (token.is("{")) {
            if (isLinkage(at - 1)) {
                blocks.push(depth);
                hasBlocks = true;
            }
            depth++;
        } else if (token.is("}")) {
            depth--;
            if (!blocks.isEmpty() && blocks.peek() == depth) blocks.pop();
        }
    }

    /// Skips `__launch_bounds__(256)` and similar attributes: a name with parentheses, followed by a word.
    private void attributes() {
        int after = at;
        while (after + 1 < tokens.size()
                && tokens.get(after).text().startsWith("__")
                && tokens.get(after + 1).is("(")) {
            int open = 0;
            do {
                after++;
                if (tokens.get(after).is("(")) open++;
                if (tokens.get(after).is(")")) open--;
            } while (open > 0 && after + 1 < tokens.size());
            after++;
            if (after >= tokens.size() || tokens.get(after).kind() != Token.Kind.WORD) return;
            at = after;
        }
    }

    private Parameter parameter(String kernel) {
        List<String> words = new ArrayList<>();
        boolean constant = false, pointer = false;
        while (true) {
            Token token = next();
            if (RESTRICT.contains(token.text())) continue;
            if (token.is("const")) {
                constant |= !pointer; // after the *, const refers to the pointer
            } else if (token.is("*")) {
                if (pointer) throw error(token.line(), "kernel " + kernel + ": pointers to pointers are not supported");
                pointer = true;
            } else if (token.kind() == Token.Kind.WORD) {
                words.add(token.text());
            } else {
                throw error(
                        token.line(), "kernel " + kernel + ": '" + token.text() + "' in a parameter is not supported");
            }
            if (isNext(",") || isNext(")")) {
                return parameter(kernel, token.line(), words, pointer, constant);
            }
        }
    }

    private static Parameter parameter(String kernel, int line, List<String> words, boolean pointer, boolean constant) {
        if (words.size() < 2) throw error(line, "kernel " + kernel + ": a parameter needs a type and a name");
        String name = words.getLast();
        List<String> type = words.subList(0, words.size() - 1);
        return Optional.ofNullable(
                        TYPES.get(String.join(" ", type.stream().sorted().toList())))
                .map(known -> new Parameter(name, known, pointer, constant))
                .orElseThrow(() -> error(
                        line,
                        "kernel " + kernel + ": the type of parameter " + name + ", " + String.join(" ", type)
                                + ", is not one of char, short, int, long long (also unsigned), float, double"));
    }

    private Token next() {
        if (at == tokens.size())
            throw error(at == 0 ? 1 : tokens.getLast().line(), "the source ends in a kernel's declaration");
        return tokens.get(at++);
    }

    private boolean isNext(String text) {
        return at < tokens.size() && tokens.get(at).is(text);
    }

    private boolean take(String text) {
        boolean there = isNext(text);
        if (there) at++;
        return there;
    }

    private static SourceException error(int line, String message) {
        return new SourceException(line, message);
    }
}
