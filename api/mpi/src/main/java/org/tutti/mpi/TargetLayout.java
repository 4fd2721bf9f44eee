package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.type.Layout;
import org.tutti.spi.type.TypeMap;
import org.tutti.spi.type.TypeMapLayout;

/// The layout of the data of an access in the target's memory: `count` elements of a type, relative to the
/// displacement. Immutable.
final class TargetLayout {
    final long count;
    final Datatype type;
    private final TypeMap map;
    private final @Nullable Layout layout;

    TargetLayout(String operation, long count, Datatype type, CommPort port) {
        Arguments.given(operation, "type", type, port);
        if (count < 0) {
            throw MpiException.argument(ErrorClass.ERR_COUNT, operation, "count=" + count + " is negative", port);
        }
        this.count = count;
        this.type = type;
        try {
            // throws if the end of the last element does not fit into a `long`
            Math.addExact(
                    Math.multiplyExact(count, type.extent()),
                    Math.max(type.upperBound(), type.map().high()));
            Math.multiplyExact(count, type.elements().size());
            map = type.map().loop(count, type.extent());
        } catch (ArithmeticException e) {
            throw MpiException.argument(
                    ErrorClass.ERR_COUNT, operation, count + " " + type + " would exceed 2^63 - 1 bytes", port);
        }
        layout = map.isDense() ? null : new TypeMapLayout(map);
    }

    /// Returns the number of bytes without gaps.
    long sizeBytes() {
        return map.piece().bytes();
    }

    /// Returns the offset of the first byte from the displacement.
    long low() {
        return sizeBytes() == 0 ? 0 : map.low();
    }

    /// Returns the offset of the end of the last byte from the displacement.
    long high() {
        return sizeBytes() == 0 ? 0 : map.high();
    }

    /// Returns the layout; null if the data is contiguous from [#low] on.
    @Nullable
    Layout layout() {
        return layout;
    }

    @Override
    public String toString() {
        return count + " " + type;
    }
}
