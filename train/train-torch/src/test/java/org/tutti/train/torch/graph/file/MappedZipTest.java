package org.tutti.train.torch.graph.file;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tutti.train.checkpoint.CheckpointException;

/// Reads zip files, and refuses files on which readers could disagree.
final class MappedZipTest {
    private static final int LOCAL = 0x04034b50, DIRECTORY = 0x02014b50, END = 0x06054b50;
    private static final byte[] A = "the first".getBytes(US_ASCII), B = "another one".getBytes(US_ASCII);

    private static byte[] zip(boolean isDeflated) {
        Map<String, byte[]> entries = new LinkedHashMap<>();
        entries.put("r/a", A);
        entries.put("r/b", B);
        return EditedArchive.zip(entries, isDeflated);
    }

    private static ByteBuffer at(byte[] file) {
        return ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    }

    /// Returns the position of the record with the given number, from 0.
    private static int find(byte[] file, int signature, int number) {
        int found = 0;
        for (int i = 0; i + 4 <= file.length; i++) if (at(file).getInt(i) == signature && found++ == number) return i;
        throw new AssertionError(signature);
    }

    private static byte[] contents(byte[] file, String name) throws CheckpointException {
        return new MappedZip(MemorySegment.ofArray(file), "z", true)
                .contents(name, 1_000_000, Arena.ofAuto())
                .toArray(ValueLayout.JAVA_BYTE);
    }

    private static void assertRefused(byte[] file, String message) {
        assertThat(catchThrowable(() -> {
                    contents(file, "r/a");
                    contents(file, "r/b");
                }))
                .isInstanceOf(CheckpointException.class)
                .hasMessage(message);
    }

    @Test
    void readsStoredAndDeflatedEntries() throws CheckpointException {
        for (boolean isDeflated : new boolean[] {false, true}) {
            assertThat(contents(zip(isDeflated), "r/a")).isEqualTo(A);
            assertThat(contents(zip(isDeflated), "r/b")).isEqualTo(B);
        }
    }

    @Test
    void aStoredEntryIsASliceOfTheFile() throws CheckpointException {
        MemorySegment file = MemorySegment.ofArray(zip(false));
        MemorySegment entry = new MappedZip(file, "z", true).contents("r/a", 100, Arena.ofAuto());

        assertThat(file.asOverlappingSlice(entry)).isPresent();
    }

    @Test
    void readsSizesOf64Bits() throws CheckpointException {
        byte[] plain = zip(false);
        int directory = find(plain, DIRECTORY, 0), end = find(plain, END, 0);
        ByteBuffer wide = at(new byte[plain.length + 76]);
        wide.put(plain, 0, end);
        wide.putInt(0x06064b50)
                .putLong(44)
                .putShort((short) 45)
                .putShort((short) 45)
                .putInt(0)
                .putInt(0);
        wide.putLong(2).putLong(2).putLong(end - directory).putLong(directory);
        wide.putInt(0x07064b50).putInt(0).putLong(end).putInt(1);
        int newEnd = wide.position();
        wide.put(plain, end, plain.length - end);
        wide.putInt(newEnd + 16, -1).putInt(newEnd + 12, -1).putShort(newEnd + 10, (short) -1);

        assertThat(contents(wide.array(), "r/b")).isEqualTo(B);

        wide.putInt(newEnd + 16, directory + 1);
        assertRefused(
                wide.array(), "z: states the offset of the directory twice: " + (directory + 1) + " and " + directory);
    }

    @Test
    void aCutFileIsRefused() {
        byte[] file = zip(false);

        assertRefused(
                Arrays.copyOf(file, file.length - 1),
                "z: is not a complete zip file: it has no end record; copy or download it again");
    }

    @Test
    void aDamagedEntryIsRefused() {
        byte[] file = zip(false);
        file[find(file, LOCAL, 0) + 30 + 3] ^= 1;

        assertRefused(file, "z: r/a is damaged: its checksum differs");
    }

    @Test
    void overlappingEntriesAreRefused() {
        byte[] file = zip(false);
        int second = find(file, DIRECTORY, 1);
        at(file).putInt(second + 42, at(file).getInt(find(file, DIRECTORY, 0) + 42));

        assertRefused(file, "z: r/a and r/b overlap");
    }

    @Test
    void twoEntriesOfANameAreRefused() {
        byte[] file = zip(false);
        file[find(file, DIRECTORY, 1) + 46 + 2] = 'a';
        file[find(file, LOCAL, 1) + 30 + 2] = 'a';

        assertRefused(file, "z: two entries are called r/a");
    }

    @Test
    void anotherNameInTheLocalHeaderIsRefused() {
        byte[] file = zip(false);
        file[find(file, LOCAL, 1) + 30 + 2] = 'c';

        assertRefused(file, "z: r/b has a local header with another name or method");
    }

    @Test
    void anotherSizeInTheLocalHeaderIsRefused() {
        byte[] file = zip(false);
        at(file).putInt(find(file, LOCAL, 1) + 22, 3);

        assertRefused(file, "z: r/b has 3 bytes by the local header, 11 by the directory, or two checksums");
    }

    @Test
    void anEntryBeyondTheDirectoryIsRefused() {
        byte[] file = zip(false);
        int second = find(file, DIRECTORY, 1), directory = find(file, DIRECTORY, 0);
        at(file).putInt(second + 20, 1000).putInt(second + 24, 1000);

        assertRefused(
                file, "z: r/b has 1000 bytes at " + (directory - B.length) + ", beyond the directory at " + directory);
    }

    @Test
    void pathsThatLeaveTheArchiveAreRefused() {
        for (String path : new String[] {"/etc/x", "r/../x", "r\\x", "./x", "C:/x", "r//x"}) {
            byte[] file = EditedArchive.zip(Map.of(path, A), false);

            assertRefused(file, "z: has an entry with the path " + path + ", which leaves the archive");
        }
    }

    @Test
    void aSizeBeyondTheLimitIsRefused() throws CheckpointException {
        MappedZip zip = new MappedZip(MemorySegment.ofArray(zip(false)), "z", true);

        assertThat(catchThrowable(() -> zip.contents("r/a", 8, Arena.ofAuto())))
                .hasMessage("z: r/a has 9 bytes; at most 8 are read");
    }

    @Test
    void aBombIsRefused() throws CheckpointException {
        byte[] zeros = new byte[65 << 20];
        byte[] file = EditedArchive.zip(Map.of("r/a", zeros), true);
        MappedZip zip = new MappedZip(MemorySegment.ofArray(file), "z", true);

        assertThat(catchThrowable(() -> zip.contents("r/a", Long.MAX_VALUE, Arena.ofAuto())))
                .isInstanceOf(CheckpointException.class)
                .hasMessageMatching(
                        "z: inflates \\d+ bytes to more than 68157440; store the entries without compression");
    }

    @Test
    void aWrongInflatedSizeIsRefused() {
        byte[] file = zip(true);
        at(file).putInt(find(file, DIRECTORY, 0) + 24, 8);

        assertRefused(file, "z: r/a does not inflate to the 8 bytes that the directory states");
    }

    @Test
    void encryptedEntriesAreRefused() {
        byte[] file = zip(false);
        file[find(file, DIRECTORY, 0) + 8] |= 1;

        assertRefused(file, "z: r/a is encrypted");
    }

    @Test
    void otherMethodsAreRefused() {
        byte[] file = zip(false);
        file[find(file, DIRECTORY, 0) + 10] = 93;

        assertRefused(file, "z: r/a is compressed by method 93; use deflate, or no compression");
    }
}
