package org.tutti.train.torch;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.pytorch.ArchiveWriter;
import org.bytedeco.pytorch.InputArchive;
import org.bytedeco.pytorch.OutputArchive;
import org.bytedeco.pytorch.Reader;
import org.bytedeco.pytorch.SizeTSupplier;
import org.tutti.train.torch.pickle.Pickle;

/// An archive of libtorch without copies of tensors. It is a zip file in which the data records are references
/// to the tensors' memory. The tensors must outlive the archive.
///
///     | header, 30 bytes | name | padding | numbers, not compressed | sums |  … one after the other
///
/// libtorch passes each part to the writer in a separate call; for numbers, it passes the address of the
/// tensor's memory.
final class Archive {
    private static final int HEADER = 0x04034b50, SUMS = 0x08074b50, HEADER_BYTES = 30;
    private static final String DATA = "/data/";
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

    /// Held while a callback is created. If two threads create callbacks at the same time, both callbacks may
    /// get the same native function, which then always calls the object of the first thread.
    private static final Object CALLBACKS = new Object();

    /// The pieces by position in the file.
    private final TreeMap<Long, MemorySegment> pieces = new TreeMap<>();

    private final Map<String, MemorySegment> contents = new HashMap<>();
    private long size;

    private Archive() {}

    /// Returns the archive that libtorch writes for `from`.
    static Archive of(OutputArchive from) {
        Archive archive = new Archive();
        synchronized (CALLBACKS) {
            try (Recorder recorder = archive.new Recorder()) {
                from.save_to(recorder);
            }
        }
        return archive;
    }

    /// Returns the decoded structure.
    Pickle.Fields fields() {
        return Pickle.readArchive(content("data.pkl").toArray(ValueLayout.JAVA_BYTE));
    }

    /// Returns the memory of the record with that name.
    MemorySegment tensor(String record) {
        return content("data/" + record);
    }

    private MemorySegment content(String record) {
        return Objects.requireNonNull(contents.get(record), record);
    }

    /// Reads the archive into new tensors.
    void loadInto(InputArchive into) {
        synchronized (CALLBACKS) {
            try (Copies copies = new Copies();
                    Size all = new Size()) {
                into.load_from(copies, all);
            }
        }
    }

    /// Tracks the current record, and the parts that precede the content.
    private final class Recorder extends ArchiveWriter {
        private String record = "";
        private long nameBytes, paddingBytes;
        private boolean contentIsNext;

        @Override
        public long call(Pointer from, long count) {
            boolean isContent = contentIsNext;
            contentIsNext = false;
            if (count == 0) return 0; // a tensor without numbers has no pointer
            MemorySegment given = MemorySegment.ofAddress(from.address()).reinterpret(count);
            if (nameBytes > 0) {
                record = new String(given.toArray(ValueLayout.JAVA_BYTE), UTF_8);
                nameBytes = 0;
                contentIsNext = paddingBytes == 0;
            } else if (paddingBytes > 0) {
                paddingBytes -= count;
                contentIsNext = paddingBytes == 0;
            } else if (!isContent && count == HEADER_BYTES && starts(given, HEADER)) {
                nameBytes = Short.toUnsignedInt(given.get(SHORT, 26));
                paddingBytes = Short.toUnsignedInt(given.get(SHORT, 28));
            }
            // after the padding of a tensor without numbers, the next part is already the checksums
            boolean isInPlace = isContent && record.contains(DATA) && !starts(given, SUMS);
            MemorySegment kept =
                    isInPlace ? given : Arena.ofAuto().allocate(count).copyFrom(given);
            if (isContent) contents.put(record.substring(record.indexOf('/') + 1), kept);
            pieces.put(size, kept);
            size += count;
            return count;
        }

        private static boolean starts(MemorySegment bytes, int with) {
            return bytes.byteSize() >= Integer.BYTES && bytes.get(INT, 0) == with;
        }
    }

    private final class Copies extends Reader {
        @Override
        public long call(long position, Pointer into, long count) {
            long bytes = Math.min(count, size - position);
            MemorySegment to = MemorySegment.ofAddress(into.address()).reinterpret(bytes);
            for (long done = 0; done < bytes; ) {
                Map.Entry<Long, MemorySegment> piece = pieces.floorEntry(position + done);
                long from = position + done - piece.getKey();
                long part = Math.min(bytes - done, piece.getValue().byteSize() - from);
                MemorySegment.copy(piece.getValue(), from, to, done, part);
                done += part;
            }
            return bytes;
        }
    }

    private final class Size extends SizeTSupplier {
        @Override
        public long call() {
            return size;
        }
    }
}
