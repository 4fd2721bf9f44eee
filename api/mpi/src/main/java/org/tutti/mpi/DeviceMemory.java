package org.tutti.mpi;

import java.lang.foreign.MemorySegment;

/// Memory of a device, a GPU for instance, which Java cannot read or write: what [Buf#buf(DeviceMemory)] takes.
/// Buffers of `tutti-device` are such memory; tensors of other libraries become it by an implementation of this.
///
/// A message goes from it by copies through the host, piece by piece while it is under way, or by its address,
/// where an MPI library knows the device. What others do with a device at the same time is theirs to order: a
/// message begins when [#started] has returned, and has the memory until it is complete.
public interface DeviceMemory {
    /// How an MPI library is asked whether it takes memory of such devices by its address.
    ///
    /// @param memoryKind what it is called among `mpi_memory_alloc_kinds` (MPI 4.1, section 11.4.3)
    /// @param function of libraries, `int f(void)`, which returns 1 when they do; empty where there is none
    /// @param number by which `MPIX_GPU_query_support` is asked for it; negative where there is none
    record Support(String memoryKind, String function, int number) {
        /// No library is asked.
        public static final Support NONE = new Support("", "", -1);
    }

    /// How MPI libraries are asked whether they know this device.
    default Support support() {
        return Support.NONE;
    }

    /// The device's name, `cuda:0` for instance.
    String device();

    /// Where the memory is, as the device has it.
    long address();

    /// How many bytes it has.
    long byteSize();

    /// What it holds; a predefined type.
    Datatype type();

    /// Copies `target.byteSize()` bytes to the host, from byte `from` on; returns when they are there.
    void copyTo(MemorySegment target, long from);

    /// Copies `source.byteSize()` bytes from the host, to byte `to` and on; returns when they are there.
    void copyFrom(MemorySegment source, long to);

    /// Copies packed bytes of these runs to the host, from the packed byte `from` on. A device may do better than
    /// a copy for each run.
    default void copyTo(MemorySegment target, Runs runs, long from) {
        long end = from + target.byteSize();
        for (int i = runs.find(from); i < runs.count() && runs.offset(i) < end; i++) {
            long first = Math.max(from, runs.offset(i)), last = Math.min(end, runs.offset(i + 1));
            if (first < last) {
                copyTo(target.asSlice(first - from, last - first), runs.begin(i) + first - runs.offset(i));
            }
        }
    }

    /// The other way: puts packed bytes, from the packed byte `to` on, where they belong.
    default void copyFrom(MemorySegment source, Runs runs, long to) {
        long end = to + source.byteSize();
        for (int i = runs.find(to); i < runs.count() && runs.offset(i) < end; i++) {
            long first = Math.max(to, runs.offset(i)), last = Math.min(end, runs.offset(i + 1));
            if (first < last) {
                copyFrom(source.asSlice(first - to, last - first), runs.begin(i) + first - runs.offset(i));
            }
        }
    }

    /// A message with this memory begins: returns when the device has done what it was given with it. Copies
    /// of what is returned wait for nothing that the device is given later.
    default DeviceMemory started() {
        return this;
    }
}
