package org.tutti.job.status;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.OsPlatform;

/// The file for ranks' answers to the launcher's request for the state of each rank. It has no name, so that it
/// cannot remain after the job; the launcher creates the file at the first request, and publishes its path in
/// the job status.
///
///     a slot per rank      0 length of the text, int64, native order     8 text, UTF-8 …
///
/// After the text is complete, the rank publishes the answer in the job status.
public final class StacksFile implements AutoCloseable {
    private static final String LABEL = "tutti-stacks";
    private static final int PLACE = 1 << 20;
    private static final int TEXT = 8;
    private static final String CUT = "\n… (truncated)\n";

    private final JobFile file;

    private StacksFile(JobFile file) {
        this.file = file;
    }

    /// Creates the file, for the launcher.
    public static StacksFile create(int ranks) throws IOException {
        return new StacksFile(OsPlatform.open().createFile(LABEL, (long) ranks * PLACE));
    }

    /// Returns the path at which ranks open the file.
    public String path() {
        return file.path();
    }

    /// Writes a rank's answer.
    public static void write(String path, int rank, String text) throws IOException {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        if (utf8.length > PLACE - TEXT) {
            byte[] cut = CUT.getBytes(StandardCharsets.UTF_8);
            System.arraycopy(cut, 0, utf8, PLACE - TEXT - cut.length, cut.length);
        }
        int length = Math.min(utf8.length, PLACE - TEXT);
        try (JobFile file = JobFile.attach(path, LABEL);
                Arena arena = Arena.ofConfined()) {
            long at = (long) rank * PLACE;
            ByteBuffer place = place(file, at, arena);
            file.commit(at, TEXT + length);
            place.put(TEXT, utf8, 0, length);
            place.putLong(0, length);
        }
    }

    /// Returns the answer of `rank`.
    public String read(int rank) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            ByteBuffer place = place(file, (long) rank * PLACE, arena);
            byte[] utf8 = new byte[Math.clamp(place.getLong(0), 0, PLACE - TEXT)];
            place.get(TEXT, utf8);
            return new String(utf8, StandardCharsets.UTF_8);
        }
    }

    private static ByteBuffer place(JobFile file, long at, Arena arena) throws IOException {
        return file.map(at, PLACE, arena).asByteBuffer().order(ByteOrder.nativeOrder());
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
