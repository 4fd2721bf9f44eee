package org.tutti.device;

import java.lang.foreign.MemorySegment;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.DeviceMemory;

/// Device memory: `count` elements of the same type, or a slice of a larger buffer. `Buf.buf(buffer)` describes
/// it for MPI calls.
///
/// The memory is freed with the device, or earlier by [#free]. Any later use throws a [DeviceException].
public final class DeviceBuffer implements DeviceMemory {
    private final Device device;
    private final Allocation memory;
    private final long offsetBytes;
    private final long count;
    private final Datatype type;

    DeviceBuffer(Device device, Allocation memory, long offsetBytes, long count, Datatype type) {
        this.device = device;
        this.memory = memory;
        this.offsetBytes = offsetBytes;
        this.count = count;
        this.type = type;
    }

    /// Returns the name of the device.
    @Override
    public String device() {
        return device.id();
    }

    /// Returns the device.
    public Device owner() {
        return device;
    }

    @Override
    public Datatype type() {
        return type;
    }

    /// Returns the number of elements.
    public long count() {
        return count;
    }

    @Override
    public long byteSize() {
        return count * type.sizeBytes();
    }

    /// Returns the address, which can be passed to other libraries. Earlier work with this buffer may still be
    /// pending.
    @Override
    public long address() {
        return device.locked(d -> usable());
    }

    /// Returns the address if the memory has not been freed. Needs the lock.
    long usable() {
        if (memory.freed) throw device.error("this buffer of " + count + " " + type + " was freed");
        return memory.address + offsetBytes;
    }

    /// Returns whether the buffers share a byte, including the case that memory of a different library was
    /// wrapped twice. Needs the lock.
    boolean overlaps(DeviceBuffer other) {
        long here = usable(), there = other.usable();
        return count > 0 && other.count > 0 && here < there + other.byteSize() && there < here + byteSize();
    }

    Allocation memory() {
        return memory;
    }

    /// Returns a view of `count` elements, starting at element `from`. Elements that are not contiguous, such
    /// as a column, cannot be a view; for messages, describe these with a derived datatype.
    ///
    /// @throws DeviceException if the range exceeds this buffer
    public DeviceBuffer slice(long from, long count) {
        if (from < 0 || count < 0 || from > this.count - count) {
            throw device.error("slice: from=" + from + ", count=" + count + " exceed " + this.count + " elements");
        }
        return new DeviceBuffer(device, memory, offsetBytes + from * type.sizeBytes(), count, type);
    }

    /// Returns a view of the same bytes as elements of a different type; an incomplete last element is omitted.
    DeviceBuffer as(Datatype other) {
        return new DeviceBuffer(device, memory, offsetBytes, byteSize() / other.sizeBytes(), other);
    }

    // ---- from the host

    /// Copies the whole array, which must have the same number of elements as this buffer.
    public void copyFrom(float[] source) {
        copyFrom(Datatype.FLOAT, MemorySegment.ofArray(source));
    }

    /// Like [#copyFrom(float\[\])], for `double`.
    public void copyFrom(double[] source) {
        copyFrom(Datatype.DOUBLE, MemorySegment.ofArray(source));
    }

    /// Like [#copyFrom(float\[\])], for `int`.
    public void copyFrom(int[] source) {
        copyFrom(Datatype.INT, MemorySegment.ofArray(source));
    }

    /// Like [#copyFrom(float\[\])], for `long`.
    public void copyFrom(long[] source) {
        copyFrom(Datatype.LONG, MemorySegment.ofArray(source));
    }

    private void copyFrom(Datatype of, MemorySegment source) {
        checkArray(of, source);
        copyFrom(source, 0);
    }

    private void checkArray(Datatype of, MemorySegment array) {
        if (of != type) throw device.error("an array of " + of + " and a buffer of " + type + " do not match");
        if (array.byteSize() != byteSize()) {
            throw device.error("an array of " + array.byteSize() / of.sizeBytes() + " elements and a buffer of " + count
                    + ": copy a slice");
        }
    }

    @Override
    public void copyFrom(MemorySegment source, long to) {
        checkRange("copyFrom", to, source.byteSize());
        if (device.isHostMemory() || source.isNative()) {
            blocking((d, stream) -> d.copyIn(stream, usable() + to, source), source.byteSize());
            return;
        }
        device.staged(pinned -> {
            for (long at = 0; at < source.byteSize(); at += pinned.byteSize()) {
                long from = at, bytes = Math.min(pinned.byteSize(), source.byteSize() - at);
                MemorySegment.copy(source, at, pinned.segment(), 0, bytes);
                blocking((d, stream) -> d.copyIn(stream, usable() + to + from, pinned.range(0, bytes)), bytes);
            }
        });
    }

    /// Copies from pinned memory and returns immediately. The memory must not change before `stream` has
    /// completed the copy.
    public void copyFrom(PinnedMemory source, long sourceBytes, DeviceStream stream) {
        checkPinned("copyFrom", source);
        onStream("copyFrom", stream, (d, s) -> {
            MemorySegment range = source.range(sourceBytes, byteSize());
            source.usedBy(stream);
            if (count > 0) d.copyIn(s, usable(), range);
        });
    }

    /// Copies the elements of `source`, which may be on any device. Type and number of elements must be equal,
    /// and the buffers must not overlap. Returns immediately if the two buffers are on the same device.
    public void copyFrom(DeviceBuffer source) {
        copyFrom(source, device.stream());
        if (source.device == device) return;
        device.stream().synchronize();
    }

    /// Like [#copyFrom(DeviceBuffer)], but on a stream of this device. Also returns immediately if the driver
    /// can copy directly between the two devices.
    public void copyFrom(DeviceBuffer source, DeviceStream stream) {
        if (source.type != type || source.count != count) {
            throw device.error("copyFrom: " + source.count + " " + source.type + " and " + count + " " + type
                    + " do not match: copy a slice");
        }
        if (source.device != device) {
            checkStream("copyFrom", stream);
            if (PeerCopy.given(this, source, stream)) return;
            device.staged(pinned -> {
                for (long at = 0; at < byteSize(); at += pinned.byteSize()) {
                    long from = at;
                    MemorySegment part = pinned.segment().asSlice(0, Math.min(pinned.byteSize(), byteSize() - at));
                    source.copyTo(part, from);
                    blocking((d, s) -> d.copyIn(s, usable() + from, pinned.range(0, part.byteSize())), part.byteSize());
                }
            });
            return;
        }
        if (source.memory == memory && Math.abs(source.offsetBytes - offsetBytes) < byteSize()) {
            throw device.error("copyFrom: the two slices overlap, at bytes " + source.offsetBytes + " and "
                    + offsetBytes + ", each of " + byteSize());
        }
        onStream("copyFrom", stream, (d, s) -> {
            long from = source.usable();
            if (overlaps(source)) {
                throw device.error("copyFrom: the two buffers overlap, at addresses " + Long.toHexString(from) + " and "
                        + Long.toHexString(usable()) + ", each of " + byteSize() + " bytes");
            }
            device.ordered(source.memory, stream, d);
            if (count > 0) d.copy(s, usable(), from, byteSize());
        });
    }

    // ---- to the host

    /// Waits for all earlier work with this buffer, and returns the elements.
    public float[] toFloats() {
        float[] values = new float[length(Datatype.FLOAT)];
        copyTo(MemorySegment.ofArray(values), 0);
        return values;
    }

    /// Like [#toFloats], for `double`.
    public double[] toDoubles() {
        double[] values = new double[length(Datatype.DOUBLE)];
        copyTo(MemorySegment.ofArray(values), 0);
        return values;
    }

    /// Like [#toFloats], for `int`.
    public int[] toInts() {
        int[] values = new int[length(Datatype.INT)];
        copyTo(MemorySegment.ofArray(values), 0);
        return values;
    }

    /// Like [#toFloats], for `long`.
    public long[] toLongs() {
        long[] values = new long[length(Datatype.LONG)];
        copyTo(MemorySegment.ofArray(values), 0);
        return values;
    }

    private int length(Datatype asked) {
        if (type != asked) throw device.error("a buffer of " + type + " cannot be read as " + asked);
        if (count > Integer.MAX_VALUE - Long.BYTES) throw device.error(count + " elements are too many for an array");
        return (int) count;
    }

    @Override
    public void copyTo(MemorySegment target, long from) {
        checkRange("copyTo", from, target.byteSize());
        if (target.isReadOnly()) throw device.error("copyTo: the target is read-only");
        if (device.isHostMemory() || target.isNative()) {
            blocking((d, stream) -> d.copyOut(stream, target, usable() + from), target.byteSize());
            return;
        }
        device.staged(pinned -> {
            for (long at = 0; at < target.byteSize(); at += pinned.byteSize()) {
                long to = at, bytes = Math.min(pinned.byteSize(), target.byteSize() - at);
                blocking((d, stream) -> d.copyOut(stream, pinned.range(0, bytes), usable() + from + to), bytes);
                MemorySegment.copy(pinned.segment(), 0, target, at, bytes);
            }
        });
    }

    /// Copies to pinned memory and returns immediately. The data is complete after `stream` has completed the
    /// copy.
    public void copyTo(PinnedMemory target, long targetBytes, DeviceStream stream) {
        checkPinned("copyTo", target);
        onStream("copyTo", stream, (d, s) -> {
            MemorySegment range = target.range(targetBytes, byteSize());
            target.usedBy(stream);
            if (count > 0) d.copyOut(s, range, usable());
        });
    }

    // ---- whole buffer

    /// Writes zeros and returns immediately.
    public void clear() {
        fill(0L, 1, byteSize());
    }

    /// Writes `value` to all elements and returns immediately. The value is converted by Java's rules.
    ///
    /// @throws DeviceException if the elements are complex numbers or pairs
    public void fill(double value) {
        if (type == Datatype.FLOAT) fill(Float.floatToRawIntBits((float) value), Float.BYTES, count);
        else if (type == Datatype.DOUBLE) fill(Double.doubleToRawLongBits(value), Double.BYTES, count);
        else if (type == Datatype.INT) fill((int) value, Integer.BYTES, count);
        else if (type == Datatype.SHORT) fill((short) value, Short.BYTES, count);
        else if (type == Datatype.BYTE) fill((byte) value, Byte.BYTES, count);
        else fill((long) value);
    }

    /// Like [#fill(double)].
    public void fill(long value) {
        if (type == Datatype.FLOAT || type == Datatype.DOUBLE) fill((double) value);
        else if (type.sizeBytes() > Long.BYTES
                || type == Datatype.FLOAT_COMPLEX
                || type == Datatype.FLOAT_INT
                || type == Datatype.INT_INT) throw device.error("fill: elements of " + type + " are not numbers");
        else fill(value, (int) type.sizeBytes(), count);
    }

    private void fill(long pattern, int patternBytes, long times) {
        onStream("fill", device.stream(), (d, s) -> {
            long to = usable();
            if (times > 0) d.fill(s, to, pattern, patternBytes, times);
        });
    }

    /// Frees the memory, including all slices, after all earlier work with this memory.
    ///
    /// @throws DeviceException if the buffer is already freed, is a slice, or has a different owner, which is a
    ///     library or a [ManagedBuffer]
    public void free() {
        if (byteSize() != memory.bytes || memory.wrapped) {
            throw device.error("free: " + (memory.wrapped ? "this memory has another owner" : "this is a slice"));
        }
        device.locked(d -> {
            usable();
            if (memory.last != null && !memory.last.isClosed()) d.synchronize(memory.last.handle());
            device.awaitMessages(d);
            memory.freed = true;
            device.forget(memory);
            if (memory.bytes > 0) d.free(memory.address);
            return null;
        });
    }

    /// Fills this new buffer, and returns it. If this fails, frees the buffer, because the caller has no
    /// reference to it.
    DeviceBuffer filled(Runnable work) {
        try {
            work.run();
            return this;
        } catch (RuntimeException e) {
            freeAfter(e);
            throw e;
        }
    }

    /// Frees the buffer after a failure, which the caller rethrows.
    void freeAfter(RuntimeException failure) {
        try {
            free();
        } catch (DeviceException e) {
            failure.addSuppressed(e);
        }
    }

    // ---- checks and copies

    private void checkRange(String operation, long at, long bytes) {
        if (at < 0 || at > byteSize() - bytes) {
            throw device.error(operation + ": " + bytes + " bytes at byte " + at + " exceed " + byteSize() + " bytes");
        }
    }

    private void checkPinned(String operation, PinnedMemory memory) {
        if (memory.device() != device) {
            throw device.error(
                    operation + ": this pinned memory is of " + memory.device().id() + ", another device");
        }
    }

    private interface Work {
        void give(DeviceDriver driver, long stream);
    }

    private void checkStream(String operation, DeviceStream stream) {
        if (stream.device() != device) {
            throw device.error(
                    operation + ": the stream is of " + stream.device().id() + ", another device");
        }
    }

    private void onStream(String operation, DeviceStream stream, Work work) {
        checkStream(operation, stream);
        device.locked(d -> {
            usable();
            work.give(d, device.ordered(memory, stream, d));
            return null;
        });
    }

    /// Waits for earlier work with this memory. The copies of the message that is starting then use a separate
    /// stream, so that the copies are not delayed by kernels that are launched in the meantime, for example for
    /// other parts of this memory.
    @Override
    public DeviceMemory started() {
        device.waiting(
                () -> device.locked(d -> {
                    usable();
                    DeviceStream last = memory.last;
                    return (last == null || last.isClosed() ? device.stream() : last).open();
                }),
                DeviceDriver::synchronize);
        return new StartedMemory(this, device.messageStream());
    }

    /// Queues the work on the stream on which this memory was last used, and waits until the work is complete.
    private void blocking(Work work, long bytes) {
        device.waiting(
                () -> device.locked(d -> {
                    usable();
                    DeviceStream last = memory.last;
                    DeviceStream stream = last == null || last.isClosed() ? device.stream() : last;
                    long handle = device.ordered(memory, stream, d);
                    if (bytes > 0) work.give(d, handle);
                    return stream.open();
                }),
                DeviceDriver::synchronize);
    }

    /// Waits until all work with this memory is complete.
    void await() {
        blocking((d, stream) -> {}, 0);
    }

    /// Returns the memory for kernels in Java. Needs the lock, and memory that the host can read.
    MemorySegment segment() {
        return MemorySegment.ofAddress(usable()).reinterpret(byteSize());
    }

    /// Returns a description for error messages.
    @Override
    public String toString() {
        return count + " " + type + " on " + device.id();
    }
}
