package org.tutti.train.torch.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An expression of sizes, such as `2*s43 + 1` or `Max(1, s3)`.
sealed interface SizeExpression {
    /// Returns the value; null if a symbol has no value, or the result is not a 64-bit integer.
    @Nullable
    Long value(Map<String, Long> symbols);

    record Constant(long value) implements SizeExpression {
        @Override
        public @Nullable Long value(Map<String, Long> symbols) {
            return value;
        }
    }

    record Symbol(String name) implements SizeExpression {
        @Override
        public @Nullable Long value(Map<String, Long> symbols) {
            return symbols.get(name);
        }
    }

    record Operation(String operator, List<SizeExpression> operands) implements SizeExpression {
        @Override
        public @Nullable Long value(Map<String, Long> symbols) {
            Long result = null;
            for (SizeExpression operand : operands) {
                Long value = operand.value(symbols);
                if (value == null) return null;
                try {
                    result = result == null ? value : apply(result, value);
                } catch (ArithmeticException e) {
                    return null;
                }
                if (result == null) return null;
            }
            return result;
        }

        private @Nullable Long apply(long a, long b) {
            return switch (operator) {
                case "+" -> Math.addExact(a, b);
                case "-" -> Math.subtractExact(a, b);
                case "*" -> Math.multiplyExact(a, b);
                case "//" -> Math.floorDivExact(a, b);
                case "%" -> Math.floorMod(a, b);
                case "Max" -> Math.max(a, b);
                case "Min" -> Math.min(a, b);
                default -> null;
            };
        }
    }

    /// Returns null for text that this class does not support; such sizes are not checked.
    static @Nullable SizeExpression parse(String text) {
        Parser parser = new Parser(text);
        SizeExpression whole = parser.sum(0);
        return parser.at == text.length() ? whole : null;
    }

    /// A parser by recursive descent.
    final class Parser {
        private static final int MAX_DEPTH = 32;

        private final String text;
        private int at;

        private Parser(String text) {
            this.text = text;
        }

        private @Nullable SizeExpression sum(int depth) {
            if (depth > MAX_DEPTH) return null;
            SizeExpression left = product(depth);
            while (left != null) {
                String operator = accept("+") ? "+" : accept("-") ? "-" : null;
                if (operator == null) return left;
                left = joined(operator, left, product(depth));
            }
            return null;
        }

        private @Nullable SizeExpression product(int depth) {
            SizeExpression left = atom(depth);
            while (left != null) {
                String operator = accept("//") ? "//" : accept("*") ? "*" : accept("%") ? "%" : null;
                if (operator == null) return left;
                left = joined(operator, left, atom(depth));
            }
            return null;
        }

        private static @Nullable SizeExpression joined(
                String operator, SizeExpression left, @Nullable SizeExpression right) {
            return right == null ? null : new Operation(operator, List.of(left, right));
        }

        private @Nullable SizeExpression atom(int depth) {
            if (accept("(")) {
                SizeExpression inner = sum(depth + 1);
                return accept(")") ? inner : null;
            }
            boolean isNegative = accept("-");
            int begin = at;
            while (at < text.length() && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '_')) at++;
            String word = text.substring(begin, at);
            if (word.isEmpty()) return null;
            if (Character.isDigit(word.charAt(0))) return number(isNegative ? "-" + word : word);
            if (isNegative) return null;
            return accept("(") ? call(word, depth) : new Symbol(word);
        }

        private static @Nullable SizeExpression number(String digits) {
            try {
                return new Constant(Long.parseLong(digits));
            } catch (NumberFormatException e) {
                return null;
            }
        }

        private @Nullable SizeExpression call(String name, int depth) {
            List<SizeExpression> operands = new ArrayList<>();
            do {
                SizeExpression operand = sum(depth + 1);
                if (operand == null) return null;
                operands.add(operand);
            } while (accept(","));
            if (!accept(")")) return null;
            return switch (name) {
                case "Max", "Min" -> new Operation(name, operands);
                case "floor" -> operands.size() == 1 ? operands.getFirst() : null;
                default -> null;
            };
        }

        private boolean accept(String token) {
            while (at < text.length() && text.charAt(at) == ' ') at++;
            if (!text.startsWith(token, at)) return false;
            at += token.length();
            while (at < text.length() && text.charAt(at) == ' ') at++;
            return true;
        }
    }
}
