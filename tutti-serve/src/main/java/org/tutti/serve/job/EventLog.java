package org.tutti.serve.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;

/// What a job says, in the bytes that a reader of server-sent events gets:
///
///     id: 0\nevent: state\ndata: {"state":"queued"}\n\nid: 53\nevent: output\ndata: …
///
/// An event's id is the place of its first byte, so to resume is to seek. The bytes are in files named by
/// their place, of half the limit each; where a third one would begin, the first one goes. A reader reads
/// the files and holds nothing here.
final class EventLog {
    private static final String PREFIX = "events-";
    private static final Set<OpenOption> APPEND =
            Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE, LinkOption.NOFOLLOW_LINKS);

    private final Path directory;
    private final long halfBytes;
    private final TreeSet<Long> files = new TreeSet<>();

    /// One behind the last byte of the last whole event.
    private long end;

    private EventLog(Path directory, long limitBytes) {
        this.directory = directory;
        halfBytes = limitBytes / 2;
    }

    /// Those of a job, if it has said anything yet. An event that a crash has cut off is removed.
    static EventLog open(Path directory, long limitBytes) throws IOException {
        EventLog log = new EventLog(directory, limitBytes);
        try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, PREFIX + "*")) {
            for (Path file : found) {
                String place = file.getFileName().toString().substring(PREFIX.length());
                if (place.matches("\\d{1,18}")) log.files.add(Long.parseLong(place));
            }
        }
        if (!log.files.isEmpty()) log.trim();
        return log;
    }

    static EventLog empty(Path directory, long limitBytes) {
        return new EventLog(directory, limitBytes);
    }

    private Path file(long place) {
        return directory.resolve(PREFIX + place);
    }

    private void trim() throws IOException {
        long last = files.last();
        byte[] all = Files.readAllBytes(file(last));
        int length = all.length;
        while (length > 0 && !(length > 1 && all[length - 1] == '\n' && all[length - 2] == '\n')) length--;
        if (length < all.length) {
            try (FileChannel file = FileChannel.open(file(last), APPEND)) {
                file.truncate(length);
            }
        }
        end = last + length;
    }

    /// One behind the last event.
    synchronized long end() {
        return end;
    }

    /// @param data in one line
    synchronized void append(String event, byte[] data) throws IOException {
        byte[] head = ("id: " + end + "\nevent: " + event + "\ndata: ").getBytes(UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(head.length + data.length + 2);
        bytes.put(head).put(data).put((byte) '\n').put((byte) '\n').flip();
        int size = bytes.remaining();
        if (files.isEmpty() || end - files.last() + size > halfBytes && end > files.last()) {
            if (files.size() == 2) Files.deleteIfExists(file(files.pollFirst()));
            files.add(end);
        }
        long first = files.last();
        try (FileChannel file = FileChannel.open(file(first), APPEND, JobDirectory.mode("rw-------"))) {
            long at = end - first;
            try {
                while (bytes.hasRemaining()) at += file.write(bytes, at);
            } catch (IOException e) {
                file.truncate(end - first);
                throw e;
            }
        }
        end += size;
    }

    /// Returns where to go on for who has seen the event `id`; the beginning when there is no such event.
    synchronized long after(long id) throws IOException {
        if (files.isEmpty()) return 0;
        long start = files.first();
        if (id < start || id >= end) return start;
        ByteBuffer bytes = ByteBuffer.allocate(1 << 17); // an event is smaller
        int count = read(id, bytes);
        byte[] expected = ("id: " + id + "\n").getBytes(UTF_8);
        if (count < expected.length
                || !Arrays.equals(bytes.array(), 0, expected.length, expected, 0, expected.length)) {
            return start;
        }
        for (int i = 1; i < count; i++) {
            if (bytes.get(i) == '\n' && bytes.get(i - 1) == '\n') return id + i + 1;
        }
        return start;
    }

    /// Fills `into` from the byte at `place` on with what is there of one file; 0 at the end. Where those bytes
    /// were cut, the place to go on is [#first].
    synchronized int read(long place, ByteBuffer into) throws IOException {
        Long file = files.floor(place);
        if (file == null || place >= end) return 0;
        long left = (files.higher(file) == null ? end : files.higher(file)) - place;
        if (left < into.remaining()) into.limit(into.position() + (int) left);
        try (FileChannel in =
                FileChannel.open(file(file), Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
            int count = 0;
            while (into.hasRemaining()) {
                int got = in.read(into, place - file + count);
                if (got < 0) break;
                count += got;
            }
            return count;
        }
    }

    /// The place of the oldest byte that is there.
    synchronized long first() {
        return files.isEmpty() ? 0 : files.first();
    }
}
