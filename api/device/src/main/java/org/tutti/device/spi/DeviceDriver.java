package org.tutti.device.spi;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.tutti.device.info.DeviceAttributes;
import org.tutti.device.source.KernelSignature;
import org.tutti.device.source.KernelSource;

/// An open device. All methods may be called by any thread, concurrently, and the library stores no state for
/// the thread between calls. Every method throws [DeviceFault] if the library's call fails.
///
/// The caller guarantees valid arguments: addresses of allocated memory of this device, ranges inside it, and
/// handles returned by this object that are not yet released.
///
/// Work is queued on a *stream*, a number returned by [#createStream], or [#DEFAULT_STREAM]. A stream executes
/// in order; several streams execute concurrently. A backend may instead perform the work during the call.
public interface DeviceDriver extends AutoCloseable {
    /// The default stream. Like all streams, it does not wait for other streams.
    long DEFAULT_STREAM = 0;

    DeviceAttributes attributes();

    /// Returns whether Java can access the device's memory by address.
    boolean isHostMemory();

    /// Allocates at least `bytes` > 0 bytes, with unspecified content, aligned for every type.
    long allocate(long bytes);

    /// Frees memory allocated by [#allocate]. No work with it is pending.
    void free(long address);

    /// Allocates host memory that this device accesses directly (pinned), or ordinary memory if not supported.
    /// Valid until [#freeHost].
    MemorySegment allocateHost(long bytes);

    /// Frees memory allocated by [#allocateHost]. No work with it is pending.
    void freeHost(MemorySegment memory);

    /// Copies from the host. `from` is native memory that does not change until the stream has completed the
    /// copy.
    void copyIn(long stream, long to, MemorySegment from);

    /// Copies to the host. `to` is native memory that remains valid until the stream has completed the copy.
    void copyOut(long stream, MemorySegment to, long from);

    /// Copies within the device. The ranges do not overlap.
    void copy(long stream, long to, long from, long bytes);

    /// Writes the lowest `patternBytes` (1, 2, 4 or 8) bytes of `pattern`, `count` times; `to` is a multiple of
    /// `patternBytes`.
    void fill(long stream, long to, long pattern, int patternBytes, long count);

    long createStream();

    /// Destroys a stream without pending work.
    void destroyStream(long stream);

    /// Waits until the stream has completed all queued work.
    void synchronize(long stream);

    /// Returns an event that is complete when the stream has completed all work queued so far.
    long record(long stream);

    /// Orders all later work of the stream after an event of any stream of this device. The event may be
    /// released while the stream is waiting.
    void await(long stream, long event);

    boolean isComplete(long event);

    /// Waits until the event is complete.
    void synchronizeEvent(long event);

    void releaseEvent(long event);

    /// Returns all inputs of [#compile] except source and options: the compiler with version, and the
    /// architecture. Part of the key of the disk cache.
    String compiler();

    /// Returns the compiler input of [#compile]: the source, or the translated source. Part of the key of the
    /// disk cache.
    ///
    /// @throws org.tutti.device.source.SourceException if the source cannot be translated
    default String translated(KernelSource source) {
        return source.text();
    }

    /// Compiles a source into a binary for [#load], valid in any process with the same kind of device and
    /// compiler.
    ///
    /// @param options options of the compiler; `-D NAME=VALUE` works with every backend
    /// @throws DeviceFault `COMPILE` with the compiler's log; line numbers refer to the source
    byte[] compile(KernelSource source, List<String> options);

    /// Loads a binary as a module.
    ///
    /// @throws DeviceFault if the binary is not valid for this device; the caller then compiles again
    long load(byte[] binary);

    /// Unloads a module. No kernel of it is running or launched later.
    void unload(long module);

    /// Returns a kernel of a module by name.
    long function(long module, String name);

    /// Launches a kernel.
    ///
    /// @param signature the kernel's signature, which defines the size of each value
    /// @param values one per parameter, in the lowest bytes: an address, an integer, or the bits of a
    ///     floating-point number
    void launch(long stream, long function, KernelSignature signature, long[] values, LaunchShape shape);

    /// Releases all remaining resources. No work is pending.
    @Override
    void close();
}
