package org.tutti.train.model;

import java.lang.foreign.MemorySegment;

/// Where numbers lie: one after the other, in the machine's byte order.
public sealed interface TensorStorage {
    long bytes();

    /// In memory that Java reads and writes.
    record OnCpu(MemorySegment memory) implements TensorStorage {
        @Override
        public long bytes() {
            return memory.byteSize();
        }
    }

    /// In a device's own memory, which Java cannot reach.
    ///
    /// @param device its name, `cuda:0` for instance
    /// @param address as the device has it
    record OnDevice(String device, long address, long bytes) implements TensorStorage {}

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
                        + there.bytes + " bytes are on " + there.device + "; copy them to the CPU");
        };
    }
}
