package org.tutti.device.spi;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.tutti.device.info.DeviceAttributes;
import org.tutti.device.source.KernelSignature;
import org.tutti.device.source.KernelSource;

/// An open device. All methods may be called concurrently by any threads; no call depends on state of the
/// library that an earlier call has set for the thread. Every method throws [DeviceFault] if the library's call
/// fails.
///
/// The caller guarantees valid arguments: addresses of memory that is allocated on this device, ranges within
/// this memory, and handles that this object has returned and that have not been released.
///
/// Work is queued on a *stream*, which is a number that [#createStream] has returned, or [#DEFAULT_STREAM]. A
/// stream executes its work in order; several streams execute concurrently. A backend may instead perform the
/// work during the call.
public interface DeviceDriver extends AutoCloseable {
    /// The default stream. Like any other stream, the default stream does not wait for other streams.
    long DEFAULT_STREAM = 0;

    DeviceAttributes attributes();

    /// Returns whether Java can access the device's memory by address.
    boolean isHostMemory();

    /// Allocates at least `bytes` bytes, which must be positive. The memory has unspecified content, and is
    /// aligned for every type.
    long allocate(long bytes);

    /// Frees memory that [#allocate] or [ManagedAllocations#allocateManaged] has returned. No work with this
    /// memory may be pending.
    void free(long address);

    /// Allocates host memory that this device can access directly (pinned), or ordinary memory if this is not
    /// supported. The memory is valid until [#freeHost].
    MemorySegment allocateHost(long bytes);

    /// Frees memory that [#allocateHost] has returned. No work with this memory may be pending.
    void freeHost(MemorySegment memory);

    /// Copies from the host. `from` is native memory, which must not change until the stream has completed the
    /// copy.
    void copyIn(long stream, long to, MemorySegment from);

    /// Copies to the host. `to` is native memory, which must remain valid until the stream has completed the
    /// copy.
    void copyOut(long stream, MemorySegment to, long from);

    /// Copies within the device. The ranges must not overlap.
    void copy(long stream, long to, long from, long bytes);

    /// Writes the lowest `patternBytes` (1, 2, 4 or 8) bytes of `pattern`, `count` times; `to` must be a
    /// multiple of `patternBytes`.
    void fill(long stream, long to, long pattern, int patternBytes, long count);

    long createStream();

    /// Destroys a stream, which must not have pending work.
    void destroyStream(long stream);

    /// Waits until the stream has completed all queued work.
    void synchronize(long stream);

    /// Returns an event that is complete when the stream has completed all work that has been queued so far.
    long record(long stream);

    /// Orders all later work of the stream after an event of any stream of this device. The event may be
    /// released while the stream is waiting.
    void await(long stream, long event);

    boolean isComplete(long event);

    /// Waits until the event is complete.
    void synchronizeEvent(long event);

    void releaseEvent(long event);

    /// Returns all inputs of [#compile] except source and options: the compiler with its version, and the
    /// architecture. The result is a part of the key of the disk cache.
    String compiler();

    /// Returns the text that [#compile] passes to the compiler: the source, or the translated source. The
    /// result is a part of the key of the disk cache.
    ///
    /// @throws org.tutti.device.source.SourceException if the source cannot be translated
    default String translated(KernelSource source) {
        return source.text();
    }

    /// Compiles a source into a binary for [#load]. The binary is valid in any process with the same kind of
    /// device and compiler.
    ///
    /// @param options options of the compiler; `-D NAME=VALUE` works with every backend
    /// @throws DeviceFault `COMPILE` with the compiler's log; line numbers refer to the source
    byte[] compile(KernelSource source, List<String> options);

    /// Loads a binary as a module.
    ///
    /// @throws DeviceFault if the binary is not valid for this device; the caller then compiles again
    long load(byte[] binary);

    /// Unloads a module. No kernel of the module may be running, or be launched later.
    void unload(long module);

    /// Returns a kernel of a module by name.
    long function(long module, String name);

    /// Launches a kernel.
    ///
    /// @param signature the kernel's signature, which defines the size of each value
    /// @param values one value per parameter, in the lowest bytes: an address, an integer, or the bits of a
    ///     floating-point number
    void launch(long stream, long function, KernelSignature signature, long[] values, LaunchShape shape);

    /// Releases all remaining resources. No work may be pending.
    @Override
    void close();
}
