package org.tutti.spi.type;

/// Contiguous bytes in the memory of a device. The device copies the bytes, so the parameter `memory` of
/// [#pack] and [#unpack] is ignored. A copy waits only for the device.
public interface DeviceLayout extends Layout {
    /// Returns the kind of the device, for example `cuda` or `hip`.
    String deviceKind();

    /// Returns the address of the bytes, which is valid for the device, and for a library that supports such
    /// addresses.
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
