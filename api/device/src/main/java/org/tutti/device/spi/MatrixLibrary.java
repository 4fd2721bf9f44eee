package org.tutti.device.spi;

/// An optional capability of a [DeviceDriver]: matrix products by the vendor's library.
public interface MatrixLibrary {
    /// Returns whether the library is available and supports this device. The first call loads the library,
    /// which may take a second.
    boolean hasProducts();

    /// Returns the library, or the reason why none is available, as text for users.
    String products();

    /// Queues `c = a · b` on a stream, with row-major matrices of `rows` × `inner` and `inner` × `columns`
    /// elements; each number is at least 1. Requires [#hasProducts].
    ///
    /// @param isDouble whether elements have 8 bytes rather than 4
    void multiply(long stream, boolean isDouble, int rows, int columns, int inner, long a, long b, long c);
}
