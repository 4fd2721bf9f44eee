package org.tutti.spi.type;

/// One run of bytes in the memory of a device, which copies them; `memory` of [#pack] and [#unpack] is not looked
/// at. Its copies wait for the device alone.
public interface DeviceLayout extends Layout {
    /// Returns the kind of the device, for example `cuda` or `hip`.
    String deviceKind();

    /// Where the bytes are, as the device and a library that knows it have it.
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
