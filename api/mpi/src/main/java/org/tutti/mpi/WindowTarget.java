package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.type.Layout;
import org.tutti.spi.type.Placed;
import org.tutti.spi.type.TypeMapLayout;

/// Where an access goes in the target's memory: `count` elements of a type from a displacement on. Made by
/// [Window#at]. It never changes and may be used by any thread, for any window.
public final class WindowTarget {
    final long displacement;
    final long count;
    final Datatype type;

    /// From the displacement on.
    private final Placed map;

    private final @Nullable Layout layout;

    WindowTarget(long displacement, long count, Datatype type) {
        CommHandle.given("at", "type", type);
        if (count < 0) {
            throw MpiException.argument(ErrorClass.ERR_COUNT, "at", "count=" + count + " is negative", null);
        }
        this.displacement = displacement;
        this.count = count;
        this.type = type;
        try {
            // as far as the last one reaches
            Math.addExact(
                    Math.multiplyExact(count, type.extent()),
                    Math.max(type.upperBound(), type.map().high()));
            Math.multiplyExact(count, type.elements().size());
            map = type.map().loop(count, type.extent());
        } catch (ArithmeticException e) {
            throw MpiException.argument(
                    ErrorClass.ERR_COUNT, "at", count + " " + type + " have more bytes than can be counted", null);
        }
        layout = map.isDense() ? null : new TypeMapLayout(map);
    }

    /// Packed.
    long lengthBytes() {
        return map.piece().bytes();
    }

    /// Where the first byte lies, and the last one ends, from the displacement on.
    long low() {
        return lengthBytes() == 0 ? 0 : map.low();
    }

    long high() {
        return lengthBytes() == 0 ? 0 : map.high();
    }

    /// Null of one run of bytes from [#low] on.
    @Nullable
    Layout layout() {
        return layout;
    }

    @Override
    public String toString() {
        return count + " " + type + " at disp=" + displacement;
    }
}
