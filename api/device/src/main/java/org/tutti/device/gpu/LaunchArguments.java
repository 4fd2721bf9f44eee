package org.tutti.device.gpu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The arguments of a launch in the library's format: pointers to the values. Each thread has one memory block,
/// which the next launch overwrites.
///
///     | pointer 0 | pointer 1 | … | value 0 | value 1 | …       8 bytes each, values in the lowest bytes
final class LaunchArguments {
    private static final int FIRST_VALUES = 32;

    private static final ThreadLocal<MemorySegment> BLOCK = ThreadLocal.withInitial(() -> block(FIRST_VALUES));

    private LaunchArguments() {}

    private static MemorySegment block(int values) {
        return Arena.ofAuto().allocate(JAVA_LONG, 2L * values);
    }

    /// Returns the pointers to `values`, valid until this thread's next call.
    static MemorySegment of(long[] values) {
        MemorySegment block = BLOCK.get();
        if (block.byteSize() < 2L * values.length * Long.BYTES) {
            block = block(2 * values.length);
            BLOCK.set(block);
        }
        long first = block.address() + (long) values.length * Long.BYTES;
        for (int i = 0; i < values.length; i++) {
            block.setAtIndex(JAVA_LONG, i, first + (long) i * Long.BYTES);
            block.setAtIndex(JAVA_LONG, values.length + i, values[i]);
        }
        return block;
    }
}
