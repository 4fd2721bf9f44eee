package org.tutti.spi.type;

/// Contiguous bytes in the memory of a device, copied by the device; `memory` of [#pack] and [#unpack] is
/// ignored. Copies wait only for the device.
public interface DeviceLayout extends Layout {
    /// Returns the kind of the device, for example `cuda` or `hip`.
    String deviceKind();

    /// Returns the address of the bytes for the device and for a library that supports it.
    long address();

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
