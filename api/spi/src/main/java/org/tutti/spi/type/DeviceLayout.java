package org.tutti.spi.type;

/// One run of bytes in the memory of a device, which copies them; `memory` of [#pack] and [#unpack] is not looked
/// at. Its copies wait for the device alone.
public interface DeviceLayout extends Layout {
    /// The kind of the device.
    String deviceKind();

    /// Where the bytes are, as the device and a library that knows it have it.
    long address();

    /// How libraries call such memory among `mpi_memory_alloc_kinds` (MPI 4.1, section 11.4.3); empty where none
    /// knows it.
    String memoryKind();

    /// A function `int f(void)` of libraries that returns 1 when they know it; empty where there is none.
    String supportFunction();

    /// The number by which `MPIX_GPU_query_support` is asked for it; negative where there is none.
    int supportNumber();

    @Override
    default long runs() {
        return 1;
    }

    @Override
    default void spans(long[] begins, long[] ends) {
        begins[0] = 0;
        ends[0] = lengthBytes();
    }

    @Override
    default boolean overlaps() {
        return false;
    }
}
