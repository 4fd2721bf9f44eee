package org.tutti.mpi.object;

import java.util.Comparator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reasons why a value cannot be sent. The class is separate from [ObjectWriter], so that the methods of that
/// class, and their stack frames, remain small.
final class Refusal {
    private Refusal() {}

    static CodecException tooDeep(Object value, @Nullable Object[] ancestors) {
        for (Object ancestor : ancestors) {
            if (ancestor == value) {
                return cycle(value);
            }
        }
        return new CodecException(
                "is nested more than " + ObjectCodec.MAX_DEPTH + " levels deep; send long chains as a list");
    }

    static CodecException cycle(Object value) {
        return new CodecException("contains itself: this " + value.getClass().getTypeName()
                + " is also an enclosing object; send indices instead of references");
    }

    static void unlessNatural(@Nullable Comparator<?> comparator, Object value) {
        if (comparator != null && comparator != Comparator.naturalOrder()) {
            throw new CodecException(value.getClass().getName()
                    + " with a comparator cannot be sent, because code is not transferred; copy it into a LinkedHash"
                    + (value instanceof Map ? "Map" : "Set") + ", which preserves the order");
        }
    }

    static CodecException ofOtherEquality(Object value) {
        String kind = value instanceof Map ? "Map" : "Set";
        return new CodecException(value.getClass().getTypeName() + " does not compare "
                + (value instanceof Map ? "keys" : "elements")
                + " by equals and cannot be sent, because identity is not preserved; copy it into a LinkedHash" + kind
                + " or a list");
    }

    static CodecException tooMany(int size) {
        return new CodecException(
                "holds " + size + " elements, more than the " + ObjectReader.MAX_ARRAY + " that can be received");
    }

    static CodecException changed(Object collection, @Nullable Throwable cause) {
        return new CodecException(
                collection.getClass().getTypeName()
                        + " was changed concurrently during the send, or is a view of a changed collection",
                cause);
    }

    static CodecException noValue(Object value) {
        Class<?> type = value.getClass();
        return new CodecException(
                type.getTypeName() + " cannot be sent" + ForeignClass.of(type).wayOut(value));
    }

    /// Returns the form in which a path contains a map's key: short keys are unchanged, and other keys are
    /// represented by their class.
    static String shown(@Nullable Object key) {
        if (key == null) {
            return "null";
        }
        return switch (key) {
            case String s when s.length() <= 20 -> '"' + s + '"';
            case String s -> '"' + s.substring(0, 20) + "…\"";
            case Number n -> n.toString();
            case Enum<?> e -> e.name();
            default -> key.getClass().getSimpleName();
        };
    }
}
