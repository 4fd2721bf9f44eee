package org.tutti.device.spi;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.tutti.device.info.DeviceAttributes;
import org.tutti.device.source.KernelSignature;
import org.tutti.device.source.KernelSource;

/// A device that was opened. Any thread may call any method, several at once; none keeps a thread's state
/// from one call to the next. Every method throws [DeviceFault] when the library's call fails.
///
/// Arguments are right: addresses are of memory of this device that is still there, ranges lie inside it,
/// handles were returned by this object and not yet given back. The caller checks that.
///
/// Work is given to a *stream*, a number that [#createStream] returned, or [#DEFAULT_STREAM]; a stream
/// does its work in order, several streams at the same time. A backend may do the work during the call
/// instead.
public interface DeviceDriver extends AutoCloseable {
    /// The stream that is always there. Like every other one, it waits for no other.
    long DEFAULT_STREAM = 0;

    DeviceAttributes attributes();

    /// Whether Java may read and write the device's memory by its addresses.
    boolean isHostMemory();

    /// Memory for at least `bytes` > 0 bytes, of any content, aligned for every type.
    long allocate(long bytes);

    /// Frees what [#allocate] returned. Work that uses it has ended.
    void free(long address);

    /// Memory of the host that this device copies from and to without a copy between (pinned); ordinary
    /// memory where there is no such thing. It stays until [#freeHost].
    MemorySegment allocateHost(long bytes);

    /// Frees what [#allocateHost] returned. Work that uses it has ended.
    void freeHost(MemorySegment memory);

    /// Copies from the host. `from` is native memory that stays as it is until the stream has done it.
    void copyIn(long stream, long to, MemorySegment from);

    /// Copies to the host. `to` is native memory that stays until the stream has done it.
    void copyOut(long stream, MemorySegment to, long from);

    /// Copies inside the device. The ranges do not overlap.
    void copy(long stream, long to, long from, long bytes);

    /// Writes `count` times the lowest `patternBytes` (1, 2, 4 or 8) bytes of `pattern`; `to` is a
    /// multiple of that.
    void fill(long stream, long to, long pattern, int patternBytes, long count);

    long createStream();

    /// Ends a stream whose work has ended.
    void destroyStream(long stream);

    /// Returns when the stream has done all that it was given.
    void synchronize(long stream);

    /// An event that is complete when the stream has done all that it was given until now.
    long record(long stream);

    /// Lets what the stream is given from now on wait for an event, of any stream of this device.
    /// The event may be released while it is waited for.
    void await(long stream, long event);

    boolean isComplete(long event);

    /// Returns when the event is complete.
    void synchronizeEvent(long event);

    void releaseEvent(long event);

    /// What, besides source and options, decides what [#compile] returns: the compiler with its version
    /// and the architecture. A key of the cache on disk.
    String compiler();

    /// What [#compile] gives to the compiler: the source, or what it is translated to. A key of that
    /// cache, too.
    ///
    /// @throws org.tutti.device.source.SourceException when the source has what cannot be translated
    default String translated(KernelSource source) {
        return source.text();
    }

    /// Compiles a source, to what [#load] takes in any process with such a device and such a compiler.
    ///
    /// @param options as the compiler has them; `-D NAME=VALUE` works with every backend
    /// @throws DeviceFault `COMPILE` with the compiler's log, whose lines count as the source's do
    byte[] compile(KernelSource source, List<String> options);

    /// Loads a binary, as a module.
    ///
    /// @throws DeviceFault when this is not a binary for this device; then it is compiled again
    long load(byte[] binary);

    /// Unloads a module. Kernels of it have ended, and their functions are used no more.
    void unload(long module);

    /// A kernel of a module, by name.
    long function(long module, String name);

    /// Launches a kernel.
    ///
    /// @param signature of the kernel, which says how many bytes each value has
    /// @param values one for each parameter, in its lowest bytes: an address, an integer, or the bits of
    ///     a floating-point number
    void launch(long stream, long function, KernelSignature signature, long[] values, LaunchShape shape);

    /// Gives all back that is still there. Work has ended.
    @Override
    void close();
}
