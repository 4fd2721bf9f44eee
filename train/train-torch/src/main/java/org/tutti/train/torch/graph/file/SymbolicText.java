package org.tutti.train.torch.graph.file;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Rewrites the expression of a size as arithmetic on symbols. Newer files have SymPy's constructors, such as
/// `Mul(Integer(2), Symbol('s43', integer=True))`; older files have arithmetic. The result is `2*s43` in either
/// case. No code is evaluated. A function without an operator remains a call: `Max(1, s3)`.
final class SymbolicText {
    private static final int DEEPEST = 32, LONGEST = 4096, LONGEST_BASE = 32;
    private static final int SUM = 0, PRODUCT = 1, ATOM = 2;

    /// @param strength the precedence of the outermost operator
    private record Term(String text, int strength) {
        String within(int least) {
            return strength < least ? "(" + text + ")" : text;
        }
    }

    private final String from;
    private int at, depth;

    private SymbolicText(String from) {
        this.from = from;
    }

    /// Returns the arithmetic. If the expression is too long, or has other parts, such as conditions, returns
    /// it unchanged.
    static String of(String expression) {
        if (expression.length() > LONGEST) return expression;
        SymbolicText text = new SymbolicText(expression);
        Term sum = text.sum();
        text.skipBlanks();
        return sum == null || text.at < expression.length() ? expression : sum.text;
    }

    private @Nullable Term sum() {
        if (++depth > DEEPEST) return null;
        Term sum = product();
        while (sum != null) {
            String operator = accept("+") ? " + " : accept("-") ? " - " : null;
            if (operator == null) break;
            Term next = product();
            sum = next == null ? null : new Term(sum.text + operator + next.within(PRODUCT), SUM);
        }
        depth--;
        return sum;
    }

    private @Nullable Term product() {
        Term product = factor();
        while (product != null) {
            String operator = accept("//") ? "//" : accept("*") ? "*" : accept("%") ? "%" : null;
            if (operator == null) break;
            Term next = factor();
            product = next == null ? null : new Term(product.within(PRODUCT) + operator + next.within(ATOM), PRODUCT);
        }
        return product;
    }

    private @Nullable Term factor() {
        Term base = atom();
        if (base == null || !accept("**")) return base;
        Term power = atom();
        return power == null ? null : power(base, power);
    }

    private static Term power(Term base, Term power) {
        boolean isShort = base.strength == ATOM && base.text.length() <= LONGEST_BASE && power.text.length() == 1;
        int times = isShort ? Character.digit(power.text.charAt(0), 10) : 0;
        if (times < 2) return new Term("Pow(" + base.text + ", " + power.text + ")", ATOM);
        return new Term(String.join("*", Collections.nCopies(times, base.text)), PRODUCT);
    }

    private @Nullable Term atom() {
        if (accept("(")) {
            Term inner = sum();
            return accept(")") ? inner : null;
        }
        String name = word();
        if (name.isEmpty()) return null;
        if (!accept("(")) return new Term(name, name.startsWith("-") ? SUM : ATOM);
        if (name.equals("Symbol")) return symbol();
        List<Term> terms = new ArrayList<>();
        if (!accept(")")) {
            do {
                Term term = sum();
                if (term == null) return null;
                terms.add(term);
            } while (accept(","));
            if (!accept(")")) return null;
        }
        return call(name, terms);
    }

    private static Term call(String name, List<Term> terms) {
        int count = terms.size();
        return switch (name) {
            case "Add" -> count > 1 ? new Term(joined(terms, " + ", PRODUCT), SUM) : function(name, terms);
            case "Mul" -> count > 1 ? new Term(joined(terms, "*", ATOM), PRODUCT) : function(name, terms);
            case "Integer" -> count == 1 ? terms.getFirst() : function(name, terms);
            case "Pow" -> count == 2 ? power(terms.get(0), terms.get(1)) : function(name, terms);
            case "FloorDiv", "CleanDiv" ->
                count == 2 ? new Term(joined(terms, "//", ATOM), PRODUCT) : function(name, terms);
            case "Mod", "PythonMod" -> count == 2 ? new Term(joined(terms, "%", ATOM), PRODUCT) : function(name, terms);
            default -> function(name, terms);
        };
    }

    private static Term function(String name, List<Term> terms) {
        return new Term(name + "(" + joined(terms, ", ", SUM) + ")", ATOM);
    }

    private static String joined(List<Term> terms, String between, int least) {
        return String.join(between, terms.stream().map(t -> t.within(least)).toList());
    }

    /// Reads `'s43', positive=True, integer=True)`.
    private @Nullable Term symbol() {
        if (!accept("'")) return null;
        String name = word();
        int end = from.indexOf(')', at);
        if (name.isEmpty() || !accept("'") || end < 0) return null;
        at = end + 1;
        return new Term(name, ATOM);
    }

    /// Reads a name, or an integer with a sign.
    private String word() {
        skipBlanks();
        int begin = at;
        if (at < from.length() && from.charAt(at) == '-') at++;
        while (at < from.length() && (Character.isLetterOrDigit(from.charAt(at)) || from.charAt(at) == '_')) at++;
        return from.substring(begin, at);
    }

    private boolean accept(String text) {
        skipBlanks();
        if (!from.startsWith(text, at)) return false;
        // `**` is a power, not a product
        if (text.equals("*") && from.startsWith("**", at)) return false;
        at += text.length();
        return true;
    }

    private void skipBlanks() {
        while (at < from.length() && from.charAt(at) == ' ') at++;
    }
}
