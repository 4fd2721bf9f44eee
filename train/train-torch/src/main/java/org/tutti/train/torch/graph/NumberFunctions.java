package org.tutti.train.torch.graph;

import java.util.Map;

/// The operators on Python's numbers: sizes, and numbers that a graph computes from sizes. Numbers are [Long],
/// [Double] or [Boolean].
enum NumberFunctions {
    ADD(2),
    SUB(2),
    MUL(2),
    FLOORDIV(2),
    TRUEDIV(2),
    MOD(2),
    POW(2),
    NEG(1),
    POS(1),
    EQ(2),
    NE(2),
    LT(2),
    LE(2),
    GT(2),
    GE(2),
    AND(2),
    OR(2),
    LSHIFT(2),
    RSHIFT(2),
    NOT(1),
    TRUNC(1),
    FLOOR(1),
    CEIL(1),
    FLOAT(1),
    IF_ELSE(3),
    MAX(2),
    MIN(2),
    SQRT(1);

    private static final Map<String, NumberFunctions> BY_TARGET = Map.ofEntries(
            Map.entry("_operator.add", ADD),
            Map.entry("_operator.sub", SUB),
            Map.entry("_operator.mul", MUL),
            Map.entry("_operator.floordiv", FLOORDIV),
            Map.entry("_operator.truediv", TRUEDIV),
            Map.entry("_operator.mod", MOD),
            Map.entry("_operator.pow", POW),
            Map.entry("_operator.neg", NEG),
            Map.entry("_operator.pos", POS),
            Map.entry("_operator.eq", EQ),
            Map.entry("_operator.ne", NE),
            Map.entry("_operator.lt", LT),
            Map.entry("_operator.le", LE),
            Map.entry("_operator.gt", GT),
            Map.entry("_operator.ge", GE),
            Map.entry("_operator.and_", AND),
            Map.entry("_operator.or_", OR),
            Map.entry("_operator.lshift", LSHIFT),
            Map.entry("_operator.rshift", RSHIFT),
            Map.entry("math.trunc", TRUNC),
            Map.entry("math.floor", FLOOR),
            Map.entry("math.ceil", CEIL),
            Map.entry("torch.sym_not", NOT),
            Map.entry("torch.sym_int", TRUNC),
            Map.entry("torch.sym_float", FLOAT),
            Map.entry("torch.sym_ite", IF_ELSE),
            Map.entry("torch.sym_max", MAX),
            Map.entry("torch.sym_min", MIN),
            Map.entry("torch.sym_sqrt", SQRT),
            Map.entry("torch._sym_sqrt", SQRT));

    private final int operands;

    NumberFunctions(int operands) {
        this.operands = operands;
    }

    static boolean has(String target) {
        return BY_TARGET.containsKey(target);
    }

    /// @throws IllegalArgumentException for an unknown target
    static NumberFunctions of(String target) {
        NumberFunctions found = BY_TARGET.get(target);
        if (found == null) throw new IllegalArgumentException(target);
        return found;
    }

    int operands() {
        return operands;
    }

    /// @throws ArithmeticException for a division by zero, or an integer beyond 64 bits
    Object apply(Object... of) {
        Object a = of[0], b = of[operands > 1 ? 1 : 0];
        return switch (this) {
            case IF_ELSE -> truth(a) ? b : of[2];
            case NOT -> !truth(a);
            case AND -> a instanceof Boolean ? (Object) (truth(a) && truth(b)) : integer(a) & integer(b);
            case OR -> a instanceof Boolean ? (Object) (truth(a) || truth(b)) : integer(a) | integer(b);
            case FLOAT -> real(a);
            case SQRT -> Math.sqrt(real(a));
            case TRUNC -> isReal(a) ? toInteger(real(a) < 0 ? Math.ceil(real(a)) : Math.floor(real(a))) : integer(a);
            case FLOOR -> isReal(a) ? toInteger(Math.floor(real(a))) : integer(a);
            case CEIL -> isReal(a) ? toInteger(Math.ceil(real(a))) : integer(a);
            case MAX -> compare(a, b) >= 0 ? a : b;
            case MIN -> compare(a, b) <= 0 ? a : b;
            case EQ -> compare(a, b) == 0;
            case NE -> compare(a, b) != 0;
            case LT -> compare(a, b) < 0;
            case LE -> compare(a, b) <= 0;
            case GT -> compare(a, b) > 0;
            case GE -> compare(a, b) >= 0;
            case TRUEDIV -> quotient(real(a), real(b));
            default -> isReal(a) || isReal(b) ? onReals(real(a), real(b)) : onIntegers(integer(a), integer(b));
        };
    }

    private Object onIntegers(long a, long b) {
        return switch (this) {
            case ADD -> Math.addExact(a, b);
            case SUB -> Math.subtractExact(a, b);
            case MUL -> Math.multiplyExact(a, b);
            case FLOORDIV -> Math.floorDivExact(a, b);
            case MOD -> Math.floorMod(a, b);
            case NEG -> Math.negateExact(a);
            case POS -> a;
            case LSHIFT -> Math.multiplyExact(a, Math.powExact(2L, Math.toIntExact(b)));
            case RSHIFT -> a >> Math.min(b, Long.SIZE - 1);
            case POW -> b < 0 ? (Object) Math.pow(a, b) : Math.powExact(a, Math.toIntExact(b));
            default -> throw new IllegalStateException(name());
        };
    }

    private Object onReals(double a, double b) {
        return switch (this) {
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            case FLOORDIV -> Math.floor(quotient(a, b));
            case MOD -> a - b * Math.floor(quotient(a, b));
            case NEG -> -a;
            case POS -> a;
            case POW -> Math.pow(a, b);
            default -> throw new ArithmeticException(name() + " of " + a + " and " + b);
        };
    }

    private static double quotient(double a, double b) {
        if (b == 0) throw new ArithmeticException("division of " + a + " by zero");
        return a / b;
    }

    private static int compare(Object a, Object b) {
        if (isReal(a) || isReal(b)) return Double.compare(real(a), real(b));
        return Long.compare(integer(a), integer(b));
    }

    private static boolean isReal(Object number) {
        return number instanceof Double;
    }

    private static long toInteger(double value) {
        if (Math.abs(value) < 0x1p63) return (long) value;
        throw new ArithmeticException(value + " is no integer of 64 bits");
    }

    /// Converts a number as Python does: `True` is 1.
    static long integer(Object number) {
        return switch (number) {
            case Long l -> l;
            case Boolean b -> b ? 1 : 0;
            default -> throw new ArithmeticException(number + " is no integer");
        };
    }

    static double real(Object number) {
        return number instanceof Double d ? d : (double) integer(number);
    }

    static boolean truth(Object number) {
        return number instanceof Boolean b ? b : real(number) != 0;
    }
}
