package org.tutti.serve.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;

/// The events of a job, in the format of server-sent events:
///
///     id: 0\nevent: state\ndata: {"state":"queued"}\n\nid: 53\nevent: output\ndata: …
///
/// The id of an event is the position of the event's first byte in the sequence of all events, so a reader
/// resumes with a seek. The bytes are stored in files of half the size limit each, named by the position of the
/// first byte; before a third file is created, the first one is deleted. A reader reads the files and has no
/// state here. State events are buffered until the job has an output or progress event, because most jobs have
/// none, and the next service can recreate the states.
final class EventLog {
    /// Maximum size of a buffered event.
    private static final int MOST_HELD = 1 << 12;

    private static final int PIECE_BYTES = 1 << 15;

    private static final Set<OpenOption> APPEND =
            Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE, LinkOption.NOFOLLOW_LINKS);

    private final JobFiles of;
    private final long halfBytes;
    private final TreeSet<Long> files;

    /// The last events, which have not been written to a file.
    private byte[] held = {};

    /// The position after the last complete event.
    private long end;

    private EventLog(JobFiles of, TreeSet<Long> files, long limitBytes, long end) {
        this.of = of;
        this.files = files;
        this.end = end;
        halfBytes = limitBytes / 2;
    }

    /// Opens the log of a job that has events. An event that was cut off by a crash is removed. If a file does
    /// not end where the next one begins, this file and the files before it are ignored, because events before
    /// a gap cannot be read as a sequence.
    static EventLog open(JobFiles of, long limitBytes) throws IOException {
        TreeSet<Long> places = new TreeSet<>(of.eventPlaces());
        long last = places.last();
        for (Long place = places.lower(last), next = last; place != null; next = place, place = places.lower(place)) {
            Path file = of.events(place);
            long size = StoreException.on(file, () -> Files.size(file));
            if (size == next - place) continue;
            System.err.println("tutti: service: " + file + " is damaged: it has " + size + " bytes, and the next file"
                    + " begins at " + (next - place) + "; events are omitted");
            places.headSet(place, true).clear();
            break;
        }
        return new EventLog(of, places, limitBytes, last + trim(of.events(last)));
    }

    /// Creates a log with the first event at `place`.
    static EventLog empty(JobFiles of, long limitBytes, long place) {
        return new EventLog(of, new TreeSet<>(), limitBytes, place);
    }

    /// Removes an incomplete event at the end of the file. Returns the remaining length.
    private static int trim(Path file) throws IOException {
        return StoreException.on(file, () -> {
            byte[] all = Files.readAllBytes(file);
            int length = all.length;
            while (length > 0 && !(length > 1 && all[length - 1] == '\n' && all[length - 2] == '\n')) length--;
            if (length < all.length) {
                try (FileChannel out = FileChannel.open(file, APPEND)) {
                    out.truncate(length);
                }
            }
            return length;
        });
    }

    /// Returns the position after the last event.
    synchronized long end() {
        return end;
    }

    synchronized boolean isEmpty() {
        return end == first();
    }

    /// Returns whether the last event has this name and data.
    synchronized boolean endsWith(String event, byte[] data) throws IOException {
        byte[] head = ("\nevent: " + event + "\ndata: ").getBytes(UTF_8);
        ByteBuffer expected = ByteBuffer.allocate(head.length + data.length + 2);
        expected.put(head).put(data).put((byte) '\n').put((byte) '\n').flip();
        ByteBuffer last = ByteBuffer.allocate(expected.remaining());
        read(end - last.capacity(), last);
        return last.flip().equals(expected);
    }

    /// @param data the data, in one line
    /// @param isState whether the event can be recreated from the job's files
    synchronized void append(String event, byte[] data, boolean isState) throws IOException {
        byte[] head = ("id: " + end + "\nevent: " + event + "\ndata: ").getBytes(UTF_8);
        int before = held.length, size = head.length + data.length + 2;
        ByteBuffer bytes = ByteBuffer.allocate(before + size);
        bytes.put(held).put(head).put(data).put((byte) '\n').put((byte) '\n').flip();
        if (isState && files.isEmpty() && size <= MOST_HELD) {
            held = bytes.array();
        } else {
            write(bytes, end - before);
            held = new byte[0];
        }
        end += size;
    }

    private void write(ByteBuffer bytes, long place) throws IOException {
        boolean isNew = files.isEmpty() || place - files.last() + bytes.remaining() > halfBytes && place > files.last();
        if (isNew && files.size() == 2) {
            JobFiles.delete(of.events(files.first()));
            files.pollFirst();
        }
        long first = isNew ? place : files.last();
        StoreException.doing(of.events(first), () -> {
            try (FileChannel file = FileChannel.open(of.events(first), APPEND, JobFiles.mode("rw-------"))) {
                long at = place - first;
                // bytes after this position remain from a failed write that could not be rolled back
                if (file.size() > at) file.truncate(at);
                try {
                    while (bytes.hasRemaining()) at += file.write(bytes, at);
                } catch (IOException e) {
                    try {
                        if (isNew) Files.deleteIfExists(of.events(first));
                        else file.truncate(place - first);
                    } catch (IOException also) {
                        e.addSuppressed(also); // the next write overwrites the rest
                    }
                    throw e;
                }
            }
        });
        if (isNew) files.add(first);
    }

    /// Returns the position after the event `id`; -1 if the event does not exist.
    synchronized long after(long id) throws IOException {
        if (id < first() || id >= end) return -1;
        ByteBuffer bytes = ByteBuffer.allocate(PIECE_BYTES);
        int count = read(id, bytes);
        byte[] expected = ("id: " + id + "\n").getBytes(UTF_8);
        if (count < expected.length
                || !Arrays.equals(bytes.array(), 0, expected.length, expected, 0, expected.length)) {
            return -1;
        }
        byte last = 0;
        for (long place = id; count > 0; count = read(place, bytes.clear())) {
            for (int i = 0; i < count; i++) {
                byte b = bytes.get(i);
                if (b == '\n' && last == '\n') return place + i + 1;
                last = b;
            }
            place += count;
        }
        return -1;
    }

    /// Reads bytes of a single file into `into`, from the byte at `place`, and returns their number. Returns 0 at
    /// the end, and also if the requested bytes were deleted; the caller must then continue at [#first].
    synchronized int read(long place, ByteBuffer into) throws IOException {
        if (place >= end || place < first()) return 0;
        if (files.isEmpty()) {
            int from = (int) (place - first()), count = Math.min(held.length - from, into.remaining());
            into.put(held, from, count);
            return count;
        }
        long file = files.floor(place);
        Long next = files.higher(file);
        long left = (next == null ? end : next) - place;
        if (left < into.remaining()) into.limit(into.position() + (int) left);
        return StoreException.on(of.events(file), () -> {
            try (FileChannel in =
                    FileChannel.open(of.events(file), Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
                int count = 0;
                while (into.hasRemaining()) {
                    int got = in.read(into, place - file + count);
                    if (got < 0)
                        throw new IOException("ends at byte " + in.size() + ", where more events were written");
                    count += got;
                }
                return count;
            }
        });
    }

    /// Returns the position of the oldest available byte.
    synchronized long first() {
        return files.isEmpty() ? end - held.length : files.first();
    }

    synchronized void delete() throws IOException {
        for (long place : files) JobFiles.delete(of.events(place));
    }
}
