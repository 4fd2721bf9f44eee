package org.tutti.train.torch.graph.file;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Rewrites a size expression of SymPy's `srepr`, such as `Mul(Integer(2), Symbol('s43', integer=True))`, as
/// arithmetic: `2*s43`. Nothing is evaluated. A function that has no operator remains a call: `Max(1, s3)`.
final class SymbolicText {
    private static final int DEEPEST = 32;

    /// @param strength of the outermost operator: 0 for a sum, 1 for a product, 2 for a name, number or call
    private record Term(String text, int strength) {
        String within(int least) {
            return strength < least ? "(" + text + ")" : text;
        }
    }

    private final String from;
    private int at;

    private SymbolicText(String from) {
        this.from = from;
    }

    /// Returns the arithmetic, or null if the text is not an expression.
    static @Nullable String of(String srepr) {
        SymbolicText text = new SymbolicText(srepr);
        Term term = text.term(0);
        return term == null || text.at != srepr.length() ? null : term.text;
    }

    private @Nullable Term term(int depth) {
        if (depth > DEEPEST) return null;
        String head = word();
        if (head.isEmpty()) return null;
        if (!accept('(')) return new Term(head, 2);
        if (head.equals("Symbol")) return symbol();
        List<Term> terms = new ArrayList<>();
        if (!accept(')')) {
            do {
                Term t = term(depth + 1);
                if (t == null) return null;
                terms.add(t);
            } while (accept(','));
            if (!accept(')')) return null;
        }
        return joined(head, terms);
    }

    private static Term joined(String head, List<Term> terms) {
        int count = terms.size();
        return switch (head) {
            case "Add" -> new Term(text(terms, " + ", 0), count > 1 ? 0 : 2);
            case "Mul" -> new Term(text(terms, "*", 1), count > 1 ? 1 : 2);
            case "Integer" -> count == 1 ? terms.getFirst() : new Term(head + "()", 2);
            case "FloorDiv", "CleanDiv" ->
                count == 2
                        ? new Term(terms.get(0).within(1) + "//" + terms.get(1).within(2), 1)
                        : call(head, terms);
            case "Mod", "PythonMod" ->
                count == 2
                        ? new Term(terms.get(0).within(1) + "%" + terms.get(1).within(2), 1)
                        : call(head, terms);
            case "Pow" -> {
                boolean isOfSymbol = count == 2
                        && terms.getFirst().strength == 2
                        && terms.getFirst().text.length() < 32;
                int power = isOfSymbol ? small(terms.get(1).text) : 0;
                List<Term> factors = new ArrayList<>();
                for (int i = 0; i < power; i++) factors.add(terms.getFirst());
                yield power > 1 ? new Term(text(factors, "*", 2), 1) : call(head, terms);
            }
            default -> call(head, terms);
        };
    }

    private static int small(String text) {
        return text.length() == 1 ? Character.digit(text.charAt(0), 10) : 0;
    }

    private static Term call(String head, List<Term> terms) {
        return new Term(head + "(" + text(terms, ", ", 0) + ")", 2);
    }

    private static String text(List<Term> terms, String between, int least) {
        return String.join(between, terms.stream().map(t -> t.within(least)).toList());
    }

    /// Reads `'s43', positive=True, integer=True)`.
    private @Nullable Term symbol() {
        if (!accept('\'')) return null;
        String name = word();
        int end = from.indexOf(')', at);
        if (name.isEmpty() || !accept('\'') || end < 0) return null;
        for (int i = at; i < end; i++) {
            char c = from.charAt(i);
            if (!Character.isLetterOrDigit(c) && "_=, ".indexOf(c) < 0) return null;
        }
        at = end + 1;
        return new Term(name, 2);
    }

    /// Reads a name or number.
    private String word() {
        skipBlanks();
        int begin = at;
        if (at < from.length() && from.charAt(at) == '-') at++;
        while (at < from.length() && (Character.isLetterOrDigit(from.charAt(at)) || from.charAt(at) == '_')) at++;
        return from.substring(begin, at);
    }

    private boolean accept(char c) {
        skipBlanks();
        if (at == from.length() || from.charAt(at) != c) return false;
        at++;
        return true;
    }

    private void skipBlanks() {
        while (at < from.length() && from.charAt(at) == ' ') at++;
    }
}
