package org.tutti.train.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventFileTest {
    @TempDir
    private Path dir;

    private static int masked(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        int value = (int) crc.getValue();
        return (value >>> 15 | value << 17) + 0xa282ead8;
    }

    /// Returns the data of each record, after a check of the checksums.
    private static List<byte[]> records(Path file) throws IOException {
        ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        List<byte[]> records = new ArrayList<>();
        while (all.hasRemaining()) {
            byte[] length = new byte[8];
            all.get(all.position(), length);
            byte[] data = new byte[(int) all.getLong()];
            assertThat(all.getInt()).isEqualTo(masked(length));
            all.get(data);
            assertThat(all.getInt()).isEqualTo(masked(data));
            records.add(data);
        }
        return records;
    }

    @Test
    void recordsAreTensorFlows() throws IOException {
        try (EventFile events = EventFile.open(dir.resolve("run"))) {
            events.addScalar("loss", 300, 0.25);
            events.addScalar("loss", 1L << 40, -1);
        }
        Path file;
        try (Stream<Path> all = Files.list(dir.resolve("run"))) {
            file = all.findFirst().orElseThrow();
        }
        assertThat(file.getFileName().toString()).startsWith("events.out.tfevents.");
        List<byte[]> records = records(file);
        assertThat(records).hasSize(3);
        // field 1, a double; field 3, 13 bytes
        assertThat(new String(records.getFirst(), 9, 15, StandardCharsets.UTF_8))
                .isEqualTo("\u001a\rbrain.Event:2");
        ByteBuffer point = ByteBuffer.wrap(records.get(1)).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(point.get(0)).isEqualTo((byte) 0x09);
        // field 2: step 300 as a varint; field 5: 13 bytes, which contain field 1: 11 bytes with the tag and
        // the value
        assertThat(java.util.Arrays.copyOfRange(records.get(1), 9, 12)).isEqualTo(new byte[] {0x10, (byte) 0xac, 0x02});
        assertThat(java.util.Arrays.copyOfRange(records.get(1), 12, 16)).isEqualTo(new byte[] {0x2a, 13, 0x0a, 11});
        assertThat(new String(records.get(1), 16, 6, StandardCharsets.UTF_8)).isEqualTo("\n\u0004loss");
        assertThat(point.get(22)).isEqualTo((byte) 0x15);
        assertThat(point.getFloat(23)).isEqualTo(0.25f);
    }
}
