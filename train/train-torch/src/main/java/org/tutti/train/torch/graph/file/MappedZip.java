package org.tutti.train.torch.graph.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.tutti.train.checkpoint.CheckpointException;

/// A zip file in memory. Stored entries are slices of the file. Nothing is written to disk.
///
///     | local header, 30 bytes | name | extra field | contents |  …
///     | central directory: 46 bytes, name, extra field, comment |  …
///     | end record of zip64, 56 bytes, and the locator, 20 bytes; optional | end record, 22 bytes | comment |
///
/// A file is refused if entries overlap, have the same name or a path outside of the archive, or if a local
/// header contradicts the directory: readers would otherwise disagree on the contents.
///
/// @see <a href="https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT">the format</a>
final class MappedZip {
    private static final int LOCAL = 0x04034b50, DIRECTORY = 0x02014b50, END = 0x06054b50;
    private static final int END_64 = 0x06064b50, LOCATOR_64 = 0x07064b50;
    private static final int LOCAL_BYTES = 30, DIRECTORY_BYTES = 46, END_BYTES = 22;
    private static final int END_64_BYTES = 56, LOCATOR_64_BYTES = 20;
    private static final int LONGEST_COMMENT = 0xffff, ZIP_64 = 1;
    private static final long IN_ZIP_64 = 0xffffffffL;
    private static final int ENCRYPTED = 1, SIZES_FOLLOW = 8;
    private static final int STORED = 0, DEFLATED = 8;
    private static final int MOST_ENTRIES = 200_000, LONGEST_NAME = 4096;

    /// Maximum size of all inflated entries together, in bytes, in addition to 1.1 times the compressed size.
    private static final long INFLATED_MORE = 64 << 20;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /// @param header the offset of the local header
    private record Entry(String name, int flags, int method, int crc, long compressed, long size, long header) {}

    /// An entry with a checked local header.
    private record Contents(Entry entry, long from) {}

    private final MemorySegment all;
    private final String file;
    private final boolean isSummed;
    private final Map<String, Contents> entries = new LinkedHashMap<>();
    private long inflatedBytes, inflatedFrom;

    /// @param file the name of the file, for errors
    /// @param isSummed whether the checksums of stored entries are verified; those of deflated entries always
    ///     are. PyTorch can omit checksums when it saves tensors.
    MappedZip(MemorySegment all, String file, boolean isSummed) throws CheckpointException {
        this.all = all;
        this.file = file;
        this.isSummed = isSummed;
        readDirectory();
    }

    /// Returns whether a file starts like a zip file: with a local header or, without entries, with the end
    /// record.
    static boolean isZip(MemorySegment all) {
        return all.byteSize() >= END_BYTES && (all.get(INT, 0) == LOCAL || all.get(INT, 0) == END);
    }

    /// Returns the names of the entries, in the order of the directory, without folders.
    Iterable<String> names() {
        return entries.keySet();
    }

    boolean has(String name) {
        return entries.containsKey(name);
    }

    /// Returns the size of an entry's contents, in bytes; 0 if the entry does not exist.
    long sizeBytes(String name) {
        Contents found = entries.get(name);
        return found == null ? 0 : found.entry.size;
    }

    /// Returns the contents of an entry: a slice of the file, or memory of `arena` if the entry is deflated.
    ///
    /// @param limit the maximum size, in bytes
    MemorySegment contents(String name, long limit, Arena arena) throws CheckpointException {
        Contents found = entries.get(name);
        if (found == null) throw refused("has no entry " + name);
        Entry e = found.entry;
        if (e.size > limit) throw refused(name + " has " + e.size + " bytes; at most " + limit + " are read");
        MemorySegment stored = all.asSlice(found.from, e.compressed);
        MemorySegment contents = e.method == STORED ? stored : inflated(e, stored, arena);
        if (isSummed || e.method == DEFLATED) checkSum(e, contents);
        return contents;
    }

    private void checkSum(Entry e, MemorySegment contents) throws CheckpointException {
        CRC32 sum = new CRC32();
        for (long at = 0; at < contents.byteSize(); at += 1 << 30) {
            sum.update(contents.asSlice(at, Math.min(1 << 30, contents.byteSize() - at))
                    .asByteBuffer());
        }
        if ((int) sum.getValue() != e.crc) throw refused(e.name + " is damaged: its checksum differs");
    }

    private MemorySegment inflated(Entry e, MemorySegment from, Arena arena) throws CheckpointException {
        inflatedBytes += e.size;
        inflatedFrom += e.compressed;
        if (inflatedBytes > inflatedFrom + inflatedFrom / 10 + INFLATED_MORE) {
            throw refused("inflates " + inflatedFrom + " bytes to more than " + inflatedBytes
                    + "; store the entries without compression");
        }
        MemorySegment to = arena.allocate(e.size, 64);
        long done = 0, used = 0;
        try (Inflater inflater = new Inflater(true)) {
            while (!inflater.finished()) {
                if (inflater.needsInput()) {
                    long part = Math.min(from.byteSize() - used, 1 << 20);
                    if (part == 0) break;
                    inflater.setInput(from.asSlice(used, part).asByteBuffer());
                    used += part;
                }
                ByteBuffer room = done == e.size
                        ? ByteBuffer.allocate(1)
                        : to.asSlice(done, Math.min(e.size - done, 1 << 30)).asByteBuffer();
                int got = inflater.inflate(room);
                done += got;
                if (done > e.size || got == 0 && inflater.needsDictionary()) break;
            }
            if (!inflater.finished() || done != e.size || inflater.getBytesRead() != e.compressed)
                throw refused(e.name + " does not inflate to the " + e.size + " bytes that the directory states");
        } catch (DataFormatException x) {
            throw refused(e.name + " is not deflated data: " + x.getMessage());
        }
        return to;
    }

    private void readDirectory() throws CheckpointException {
        long end = findEnd();
        long count = shortAt(end + 10), bytes = intAt(end + 12), at = intAt(end + 16);
        if (shortAt(end + 4) != 0 && shortAt(end + 4) != 0xffff) throw refused("is a part of several zip files");
        long after = end;
        if (end >= LOCATOR_64_BYTES && all.get(INT, end - LOCATOR_64_BYTES) == LOCATOR_64) {
            after = all.get(LONG, end - LOCATOR_64_BYTES + 8);
            if (after < 0 || after > end - LOCATOR_64_BYTES - END_64_BYTES || all.get(INT, after) != END_64)
                throw refused("has no end record at " + after + ", where its locator points");
            count = agreeing("the number of entries", count, 0xffff, all.get(LONG, after + 32));
            bytes = agreeing("the size of the directory", bytes, IN_ZIP_64, all.get(LONG, after + 40));
            at = agreeing("the offset of the directory", at, IN_ZIP_64, all.get(LONG, after + 48));
        }
        if (at < 0 || bytes < 0 || at > after || bytes != after - at)
            throw refused("has a directory of " + bytes + " bytes at " + at + ", which must end at " + after);
        if (count < 0 || count > MOST_ENTRIES || count > bytes / DIRECTORY_BYTES)
            throw refused("states " + count + " entries in a directory of " + bytes + " bytes");
        List<Entry> read = new ArrayList<>();
        long next = at;
        for (long i = 0; i < count; i++) next = readEntry(next, after, read);
        if (next != after) throw refused("has a directory with more than the " + count + " entries that it states");
        addChecked(read, at);
    }

    private long agreeing(String field, long value, long marker, long wide) throws CheckpointException {
        if (value != marker && value != wide) throw refused("states " + field + " twice: " + value + " and " + wide);
        return wide;
    }

    private long findEnd() throws CheckpointException {
        long last = all.byteSize() - END_BYTES;
        for (long at = last; at >= 0 && at >= last - LONGEST_COMMENT; at--) {
            if (all.get(INT, at) == END && shortAt(at + 20) == last - at) return at;
        }
        throw refused("is not a complete zip file: it has no end record; copy or download it again");
    }

    private long readEntry(long at, long end, List<Entry> into) throws CheckpointException {
        if (end - at < DIRECTORY_BYTES || all.get(INT, at) != DIRECTORY)
            throw refused("has a damaged directory at " + at);
        long nameBytes = shortAt(at + 28), extraBytes = shortAt(at + 30), commentBytes = shortAt(at + 32);
        long next = at + DIRECTORY_BYTES + nameBytes + extraBytes + commentBytes;
        if (next > end) throw refused("has a damaged directory at " + at);
        String name = name(at + DIRECTORY_BYTES, nameBytes);
        long[] wide = {intAt(at + 24), intAt(at + 20), intAt(at + 42)};
        widen(name, wide, at + DIRECTORY_BYTES + nameBytes, extraBytes);
        int flags = shortAt(at + 8), method = shortAt(at + 10);
        if ((flags & ENCRYPTED) != 0) throw refused(name + " is encrypted");
        if (method != STORED && method != DEFLATED)
            throw refused(name + " is compressed by method " + method + "; use deflate, or no compression");
        into.add(new Entry(name, flags, method, all.get(INT, at + 16), wide[1], wide[0], wide[2]));
        return next;
    }

    private String name(long at, long bytes) throws CheckpointException {
        if (bytes == 0 || bytes > LONGEST_NAME) throw refused("has an entry with a name of " + bytes + " bytes");
        String name;
        try {
            name = UTF_8.newDecoder()
                    .decode(all.asSlice(at, bytes).asByteBuffer())
                    .toString();
        } catch (CharacterCodingException e) {
            throw refused("has an entry with a name that is not UTF-8");
        }
        boolean isOutside = name.startsWith("/") || name.indexOf('\\') >= 0 || name.indexOf('\0') >= 0;
        for (String part : name.split("/", -1)) isOutside |= part.equals("..") || part.equals(".");
        if (isOutside || name.contains("//") || name.contains(":"))
            throw refused("has an entry with the path " + GraphJson.shown(name) + ", which leaves the archive");
        return name;
    }

    /// Reads the 64-bit values of fields that overflow 32 bits.
    private void widen(String name, long[] fields, long extra, long bytes) throws CheckpointException {
        long end = extra + bytes;
        for (long at = extra; end - at >= 4; at += 4 + shortAt(at + 2)) {
            if (shortAt(at) != ZIP_64) continue;
            long from = at + 4, to = from + shortAt(at + 2);
            for (int i = 0; i < fields.length; i++) {
                if (fields[i] != IN_ZIP_64) continue;
                if (to > end || to - from < Long.BYTES) throw refused(name + " lacks a size of 64 bits");
                fields[i] = all.get(LONG, from);
                if (fields[i] < 0) throw refused(name + " has a size or offset beyond 2^63");
                from += Long.BYTES;
            }
            return;
        }
    }

    /// Checks the entries in the order of offsets.
    private void addChecked(List<Entry> read, long directory) throws CheckpointException {
        read.sort(Comparator.comparingLong(Entry::header));
        String before = "";
        long end = 0;
        for (Entry e : read) {
            if (e.header < end) throw refused(GraphJson.shown(before) + " and " + GraphJson.shown(e.name) + " overlap");
            Contents contents = contents(e, directory);
            end = contents.from + e.compressed;
            before = e.name;
            if (e.name.endsWith("/")) {
                if (e.size != 0) throw refused("the folder " + GraphJson.shown(e.name) + " has contents");
            } else if (entries.put(e.name, contents) != null) {
                throw refused("two entries are called " + GraphJson.shown(e.name));
            }
        }
    }

    /// Compares the local header with the directory.
    private Contents contents(Entry e, long directory) throws CheckpointException {
        long at = e.header;
        if (at > directory - LOCAL_BYTES || all.get(INT, at) != LOCAL)
            throw refused(e.name + " has no local header at " + at);
        long nameBytes = shortAt(at + 26), extraBytes = shortAt(at + 28);
        long from = at + LOCAL_BYTES + nameBytes + extraBytes;
        if (from > directory || e.compressed > directory - from)
            throw refused(
                    e.name + " has " + e.compressed + " bytes at " + from + ", beyond the directory at " + directory);
        if (!name(at + LOCAL_BYTES, nameBytes).equals(e.name) || shortAt(at + 8) != e.method)
            throw refused(e.name + " has a local header with another name or method");
        long[] wide = {intAt(at + 22), intAt(at + 18)};
        widen(e.name, wide, at + LOCAL_BYTES + nameBytes, extraBytes);
        boolean isLater = (e.flags & SIZES_FOLLOW) != 0 && wide[0] == 0 && wide[1] == 0;
        if (!isLater && (wide[0] != e.size || wide[1] != e.compressed || all.get(INT, at + 14) != e.crc)) {
            throw refused(e.name + " has " + wide[0] + " bytes by the local header, " + e.size
                    + " by the directory, or two" + " checksums");
        }
        if (e.method == STORED && e.size != e.compressed)
            throw refused(e.name + " is not compressed, and has two sizes: " + e.size + " and " + e.compressed);
        return new Contents(e, from);
    }

    private long intAt(long at) {
        return Integer.toUnsignedLong(all.get(INT, at));
    }

    private int shortAt(long at) {
        return Short.toUnsignedInt(all.get(SHORT, at));
    }

    private CheckpointException refused(String problem) {
        return new CheckpointException(file + ": " + problem);
    }
}
