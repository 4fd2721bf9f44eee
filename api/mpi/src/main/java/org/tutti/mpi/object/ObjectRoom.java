package org.tutti.mpi.object;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The receive buffers of a message. The buffers are requested piece by piece, because the start of the message
/// determines the layout.
///
///     short            the whole message
///     long             the first PREFIX_BYTES | the rest
///     arrays outside   the first PREFIX_BYTES | the rest of stream and table | array | array …
///
/// The stream is the encoded value without the large arrays; the table describes these arrays ([Tag]). The
/// arrays are received directly into the arrays of the new value, and are not copied again. If a message is
/// inconsistent, the rest of the message is received but not stored, and [ObjectCodec#decode] then throws an
/// exception. Apart from rounding, no allocation is larger than the rest of the message.
///
/// The object can be reused for the next message. Not thread-safe.
public final class ObjectRoom {
    private static final int KEPT_BYTES = 1 << 20;
    private static final int NOWHERE_BYTES = 64 << 10;
    private static final MemorySegment NONE = MemorySegment.ofArray(new byte[0]);

    private enum Next {
        MESSAGE,
        HEAD,
        ARRAY,
        NOWHERE
    }

    private Next next = Next.MESSAGE;
    private final MemorySegment prefix = Arena.ofAuto().allocate(Tag.PREFIX_BYTES, 8);
    private MemorySegment kept = NONE;
    private MemorySegment head = NONE;
    private @Nullable Arena headArena;
    private long totalBytes;
    private long headBytes;

    /// The number of entries in the table; -1 before the table is read.
    private int tableEntries = -1;

    private final List<Object> arrays = new ArrayList<>();
    private @Nullable CodecException refusal;

    /// Returns memory for the next part of the remaining `bytes` bytes; the memory may be large enough for all
    /// of these.
    public MemorySegment next(long bytes) {
        return switch (next) {
            case MESSAGE -> begin(bytes);
            case HEAD -> goOn(bytes);
            case ARRAY -> array(bytes);
            case NOWHERE -> nowhere(bytes);
        };
    }

    /// Returns memory for the first `stream` bytes of a message of `bytes` bytes, for a caller that knows the
    /// layout. The caller must then call [#next].
    public MemorySegment begin(long bytes, long stream) {
        clear();
        totalBytes = bytes;
        next = Next.ARRAY;
        return place(stream);
    }

    private MemorySegment begin(long bytes) {
        clear();
        totalBytes = bytes;
        if (bytes <= Tag.OUTSIDE_BYTES) {
            next = Next.NOWHERE;
            return place(bytes);
        }
        next = Next.HEAD;
        return prefix;
    }

    private MemorySegment goOn(long bytes) {
        long length = totalBytes;
        if (isOutside(prefix)) {
            length = prefix.get(ByteSource.LONG, Tag.PREFIX_HEAD);
            if (length <= Tag.PREFIX_BYTES || length > totalBytes) {
                return refuse("announces a stream of " + length + " bytes, but has " + totalBytes, bytes);
            }
        }
        MemorySegment room;
        try {
            room = place(length);
        } catch (OutOfMemoryError e) {
            return refuse(e, bytes);
        }
        next = Next.ARRAY;
        MemorySegment.copy(prefix, 0, room, 0, Tag.PREFIX_BYTES);
        return room.asSlice(Tag.PREFIX_BYTES, length - Tag.PREFIX_BYTES);
    }

    private MemorySegment array(long bytes) {
        try {
            readTable();
            long entry = headBytes - (long) (tableEntries - arrays.size()) * Tag.TABLE_ENTRY_BYTES;
            int tag = head.get(ValueLayout.JAVA_BYTE, entry);
            Object array = BuiltIns.primitives(tag, (int) head.get(ByteSource.LONG, entry + 1));
            arrays.add(array);
            return BuiltIns.segment(array);
        } catch (CodecException e) {
            refusal = e;
            return nowhere(bytes);
        } catch (OutOfMemoryError e) {
            return refuse(e, bytes);
        }
    }

    /// Checks that the announced arrays match the remaining bytes.
    private void readTable() {
        if (tableEntries >= 0) {
            return;
        }
        if (!isOutside(head)) {
            tableEntries = 0;
            return;
        }
        int entries = head.get(ByteSource.INT, Tag.PREFIX_ARRAYS);
        long stream = headBytes - Tag.PREFIX_BYTES;
        if (entries <= 0 || entries > stream / Tag.TABLE_ENTRY_BYTES) {
            throw new CodecException("is broken: announces a table of " + entries + " arrays at the end of a stream of"
                    + " " + stream + " bytes");
        }
        long promised = 0;
        for (int i = entries; i > 0; i--) {
            long entry = headBytes - (long) i * Tag.TABLE_ENTRY_BYTES;
            int tag = head.get(ValueLayout.JAVA_BYTE, entry);
            long count = head.get(ByteSource.LONG, entry + 1);
            if (tag < Tag.BYTES || tag > Tag.DOUBLES || count < 0 || count > ObjectReader.MAX_ARRAY) {
                throw new CodecException("is broken: no array has tag " + tag + " and " + count + " elements");
            }
            long bytes = count * BuiltIns.layout(tag).byteSize();
            if (bytes < Tag.OUTSIDE_BYTES) {
                throw new CodecException("is broken: an array of " + bytes + " bytes must be part of the stream");
            }
            promised += bytes;
            if (promised > totalBytes) {
                break;
            }
        }
        if (promised != totalBytes - headBytes) {
            throw new CodecException("is broken: announces " + promised + " bytes of arrays, but "
                    + (totalBytes - headBytes) + " follow");
        }
        tableEntries = entries;
    }

    private static boolean isOutside(MemorySegment message) {
        return (message.get(ValueLayout.JAVA_BYTE, 0) & 0xFF) == Tag.FORMAT_OUTSIDE;
    }

    private MemorySegment refuse(String what, long bytes) {
        refusal = new CodecException("is broken: " + what);
        return nowhere(bytes);
    }

    private MemorySegment refuse(OutOfMemoryError e, long bytes) {
        refusal = new CodecException("of " + totalBytes + " bytes is too long for this rank: " + e, e);
        return nowhere(bytes);
    }

    private MemorySegment nowhere(long bytes) {
        next = Next.NOWHERE;
        arrays.clear();
        if (headArena == null) {
            headBytes = 0;
            return place(Math.min(bytes, NOWHERE_BYTES));
        }
        return head;
    }

    private MemorySegment place(long bytes) {
        headBytes = bytes;
        if (bytes > KEPT_BYTES) {
            // any thread of this rank may receive data into this memory
            Arena arena = Arena.ofShared();
            head = arena.allocate(bytes, 8);
            headArena = arena;
        } else {
            if (kept.byteSize() < Math.max(bytes, 1)) {
                kept = Arena.ofAuto().allocate(Math.max(1024, Long.highestOneBit(bytes) * 2), 8);
            }
            head = kept;
        }
        return head;
    }

    /// Clears the buffers, and releases the off-heap memory of a large message.
    public void clear() {
        Arena arena = headArena;
        headArena = null;
        head = NONE;
        headBytes = 0;
        totalBytes = 0;
        if (arena != null) {
            arena.close();
        }
        arrays.clear();
        tableEntries = -1;
        refusal = null;
        next = Next.MESSAGE;
    }

    // ---- for the codec

    /// Throws the exception if the message was found to be inconsistent during the receive, or too long for
    /// this rank.
    void check() {
        CodecException e = refusal;
        if (e != null) {
            throw e;
        }
        if (totalBytes > Tag.OUTSIDE_BYTES) {
            readTable();
        }
    }

    MemorySegment head() {
        return head;
    }

    long valueAt() {
        return tableEntries > 0 ? Tag.PREFIX_BYTES : 0;
    }

    long valueBytes() {
        return tableEntries > 0
                ? headBytes - Tag.PREFIX_BYTES - (long) tableEntries * Tag.TABLE_ENTRY_BYTES
                : headBytes;
    }

    List<Object> arrays() {
        return arrays;
    }
}
