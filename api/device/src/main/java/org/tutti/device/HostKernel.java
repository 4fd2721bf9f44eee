package org.tutti.device;

/// A kernel in Java: what one thread does. The host runs the threads one after the other, those of a
/// block first, so they need no atomic operations and cannot wait for each other.
///
///     (thread, a) -> {
///         int i = thread.x();
///         if (i < a.intValue(0)) a.set(3, i, a.getFloat(3, i) + a.floatValue(1) * a.getFloat(2, i));
///     }
@FunctionalInterface
public interface HostKernel {
    /// @param thread which one it is; the object is used again for the next one
    /// @param arguments what the kernel was launched with
    void run(HostThread thread, HostArguments arguments);
}
