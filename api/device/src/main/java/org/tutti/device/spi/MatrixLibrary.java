package org.tutti.device.spi;

/// Products of matrices by the maker's library, of a [DeviceDriver] of a kind that has one.
public interface MatrixLibrary {
    /// Whether the library is there and works with this device. Loads it when first asked, which may
    /// take a second.
    boolean hasProducts();

    /// The library, or why there is none: for people.
    String products();

    /// Gives a stream `c = a · b`, of `rows` × `inner` and `inner` × `columns` elements by rows, each
    /// number at least 1. Only where [#hasProducts].
    ///
    /// @param isDouble whether elements are of 8 bytes or of 4
    void multiply(long stream, boolean isDouble, int rows, int columns, int inner, long a, long b, long c);
}
