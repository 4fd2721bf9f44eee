package org.tutti.device.gpu;

/// A row of a table of C functions, which return an `int` but for a few.
public interface NativeFunction {
    /// The arguments, a letter each: `i` is an `int`, `p` a pointer, a handle or a size, `h` the 64 bytes
    /// of a handle for other processes and `u` the 128 bytes of a unique id, both by value, of which the
    /// caller passes the address.
    String arguments();

    /// Whether a library without it can be used.
    boolean optional();

    /// Whether it returns a C string.
    default boolean returnsText() {
        return false;
    }
}
