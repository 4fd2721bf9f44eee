package org.tutti.train.log;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/// A file of numbers by step that TensorBoard shows as curves.
///
/// TensorFlow records: `length int64 | crc of it | data | crc of data`; the data is an `Event` message of
/// protocol buffers, with the wall time (1), the step (2), the version (3) or a summary (5) of a tag and a
/// float.
public final class EventFile implements AutoCloseable {
    private static final int CRC_MASK = 0xa282ead8;
    private static final int VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5;

    private final Path file;
    private final FileChannel channel;

    private EventFile(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /// Creates a file in `directory`, with a name that TensorBoard expects. The directory is created if it does
    /// not exist.
    public static EventFile open(Path directory) throws IOException {
        Files.createDirectories(directory);
        long now = System.currentTimeMillis();
        Path file = directory.resolve("events.out.tfevents." + now / 1000 + "."
                + ProcessHandle.current().pid() + "." + now % 1000);
        EventFile made =
                new EventFile(file, FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
        Message version = new Message().fixed64(1, Double.doubleToRawLongBits(now / 1e3));
        boolean isWhole = false;
        try {
            made.record(version.bytes(3, "brain.Event:2".getBytes(StandardCharsets.UTF_8)));
            isWhole = true;
            return made;
        } finally {
            if (!isWhole) {
                try (made) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    /// Adds the value of curve `tag` at `step`. On return, the value can be read from the file.
    public void addScalar(String tag, long step, double value) throws IOException {
        Message point = new Message()
                .bytes(1, tag.getBytes(StandardCharsets.UTF_8))
                .fixed32(2, Float.floatToRawIntBits((float) value));
        record(new Message()
                .fixed64(1, Double.doubleToRawLongBits(System.currentTimeMillis() / 1e3))
                .varint(2, step)
                .bytes(5, new Message().bytes(1, point.toBytes()).toBytes()));
    }

    private void record(Message event) throws IOException {
        byte[] data = event.toBytes();
        ByteBuffer record = ByteBuffer.allocate(data.length + 16).order(ByteOrder.LITTLE_ENDIAN);
        record.putLong(data.length);
        record.putInt(crc(record.array(), 8))
                .put(data)
                .putInt(crc(data, data.length))
                .flip();
        try {
            while (record.hasRemaining()) channel.write(record);
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e); // a channel's exception has no path
        }
    }

    private static int crc(byte[] of, int bytes) {
        CRC32C crc = new CRC32C();
        crc.update(of, 0, bytes);
        return Integer.rotateRight((int) crc.getValue(), 15) + CRC_MASK;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /// A protocol-buffers message during writing.
    private static final class Message {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        Message varint(int field, long value) {
            number((long) field << 3 | VARINT);
            number(value);
            return this;
        }

        Message fixed64(int field, long bits) {
            number((long) field << 3 | FIXED64);
            for (int i = 0; i < 64; i += 8) out.write((int) (bits >>> i));
            return this;
        }

        Message fixed32(int field, int bits) {
            number((long) field << 3 | FIXED32);
            for (int i = 0; i < 32; i += 8) out.write(bits >>> i);
            return this;
        }

        Message bytes(int field, byte[] value) {
            number((long) field << 3 | BYTES);
            number(value.length);
            out.writeBytes(value);
            return this;
        }

        private void number(long value) {
            long left = value;
            for (; (left & ~0x7fL) != 0; left >>>= 7) out.write((int) (left & 0x7f | 0x80));
            out.write((int) left);
        }

        byte[] toBytes() {
            return out.toByteArray();
        }
    }
}
