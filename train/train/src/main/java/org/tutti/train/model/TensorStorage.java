package org.tutti.train.model;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Where numbers lie: one after the other, in the machine's byte order.
public sealed interface TensorStorage {
    long sizeBytes();

    /// In memory that Java reads and writes.
    record OnCpu(MemorySegment memory) implements TensorStorage {
        @Override
        public long sizeBytes() {
            return memory.byteSize();
        }
    }

    /// In a device's own memory, which Java cannot reach. Copies come after the work that the device was
    /// given before, and are done when the call returns.
    non-sealed interface OnDevice extends TensorStorage {
        /// Its name, `cuda:0` for instance.
        String device();

        /// Where it begins, as the device has it.
        long address();

        /// Copies all of it to the CPU.
        ///
        /// @param target of as many bytes
        void copyTo(MemorySegment target);

        /// Copies all of it from the CPU.
        ///
        /// @param source of as many bytes
        void copyFrom(MemorySegment source);
    }

    static TensorStorage of(MemorySegment memory) {
        return new OnCpu(memory);
    }

    /// The memory of numbers that lie on the CPU.
    ///
    /// @param wanted for what, to say it where they do not: `group.broadcast` for instance
    /// @throws IllegalStateException when they are on a device
    default MemorySegment memory(String wanted) {
        return switch (this) {
            case OnCpu cpu -> cpu.memory;
            case OnDevice there ->
                throw new IllegalStateException(wanted + " reads and writes the CPU's memory alone, and these "
                        + there.sizeBytes() + " bytes are on " + there.device()
                        + "; a DeviceGroup (tutti-train-device) sends"
                        + " them, read() copies them to the CPU");
        };
    }

    /// The numbers on the CPU: the memory itself, or a copy of a device's.
    default MemorySegment read() {
        return switch (this) {
            case OnCpu cpu -> cpu.memory;
            case OnDevice there -> {
                MemorySegment copy = Arena.ofAuto().allocate(sizeBytes(), Long.BYTES);
                there.copyTo(copy);
                yield copy;
            }
        };
    }

    /// Overwrites all numbers.
    ///
    /// @throws IllegalArgumentException when there are not as many bytes
    default void write(MemorySegment numbers) {
        if (numbers.byteSize() != sizeBytes()) {
            throw new IllegalArgumentException(numbers.byteSize() + " bytes for a tensor of " + sizeBytes());
        }
        switch (this) {
            case OnCpu cpu -> cpu.memory.copyFrom(numbers);
            case OnDevice there -> there.copyFrom(numbers);
        }
    }
}
