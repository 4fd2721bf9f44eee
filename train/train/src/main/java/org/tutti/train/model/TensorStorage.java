package org.tutti.train.model;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The location of numbers: contiguous, in native byte order.
public sealed interface TensorStorage {
    long sizeBytes();

    /// Numbers in memory that Java reads and writes.
    record OnCpu(MemorySegment memory) implements TensorStorage {
        @Override
        public long sizeBytes() {
            return memory.byteSize();
        }
    }

    /// Numbers in a device's memory, which Java cannot access. Copies are ordered after previous work of the
    /// device, and are complete when the call returns.
    non-sealed interface OnDevice extends TensorStorage {
        /// Returns the name of the device, for example `cuda:0`.
        String device();

        /// Returns the start address in the device's address space.
        long address();

        /// Copies all data to the CPU.
        ///
        /// @param target memory of the same size
        void copyTo(MemorySegment target);

        /// Copies all data from the CPU.
        ///
        /// @param source memory of the same size
        void copyFrom(MemorySegment source);
    }

    static TensorStorage of(MemorySegment memory) {
        return new OnCpu(memory);
    }

    /// Returns the memory of numbers on the CPU.
    ///
    /// @param wanted the purpose, for the error message: `group.broadcast` for example
    /// @throws IllegalStateException if the numbers are on a device
    default MemorySegment memory(String wanted) {
        return switch (this) {
            case OnCpu cpu -> cpu.memory;
            case OnDevice there ->
                throw new IllegalStateException(wanted + " supports only CPU memory, and these "
                        + there.sizeBytes() + " bytes are on " + there.device()
                        + "; use a DeviceGroup (tutti-train-device), or"
                        + " copy the data to the CPU with read()");
        };
    }

    /// Returns the numbers on the CPU: the memory itself, or a copy of a device's memory.
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
    /// @throws IllegalArgumentException if the number of bytes differs
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
