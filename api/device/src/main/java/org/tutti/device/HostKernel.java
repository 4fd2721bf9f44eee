package org.tutti.device;

/// A kernel in Java: the code of a single thread. The host runs the threads sequentially, block by block.
/// Atomic operations are therefore unnecessary, and threads cannot wait for each other.
///
///     (thread, a) -> {
///         int i = thread.x();
///         if (i < a.intValue(0)) a.set(3, i, a.getFloat(3, i) + a.floatValue(1) * a.getFloat(2, i));
///     }
@FunctionalInterface
public interface HostKernel {
    /// @param thread the current thread; the object is reused for the next thread
    /// @param arguments the launch arguments
    void run(HostThread thread, HostArguments arguments);
}
