package org.tutti.launch.library;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.OsPlatform;

/// The exit codes of ranks on this machine that a native launcher started, in the order in which the ranks ended.
/// The [RankShell] of each rank appends a line to an unnamed file of this process.
public final class RankExits implements AutoCloseable {
    public static final String FILE = "TUTTI_EXITS";

    static final String TERMINATING = "end";

    /// The exit of a rank.
    public record Exit(int rank, int code) {}

    private final JobFile file;
    private final FileChannel in;
    private long read = 1; // a new file has one byte
    private String rest = "";

    public RankExits() throws IOException {
        file = OsPlatform.open().createFile("tutti-exits", 1);
        in = FileChannel.open(Path.of(file.path()), StandardOpenOption.READ);
    }

    /// Returns the value of the environment variable [#FILE] of the ranks' shells.
    public String path() {
        return file.path();
    }

    /// Delays the end of the ranks' shells: from now on, the shell of a failed rank does not end while this
    /// process runs. Otherwise the native launcher would kill the other ranks when the first such shell ends.
    public void terminate() throws IOException {
        Files.writeString(Path.of(file.path()), TERMINATING + "\n", StandardOpenOption.APPEND);
    }

    /// Returns the exits that have been reported since the last call, in the order of the reports.
    public List<Exit> news() {
        List<Exit> exits = new ArrayList<>();
        try {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.max(0, in.size() - read));
            while (bytes.hasRemaining()) {
                int n = in.read(bytes, read);
                if (n < 0) break;
                read += n;
            }
            String text = rest + new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII);
            int complete = text.lastIndexOf('\n') + 1;
            rest = text.substring(complete);
            for (String line : text.substring(0, complete).lines().toList()) {
                if (line.equals(TERMINATING)) continue;
                String[] words = line.split(" ");
                exits.add(new Exit(Integer.parseInt(words[0]), Integer.parseInt(words[1])));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return exits;
    }

    @Override
    public void close() throws IOException {
        in.close();
        file.close();
    }
}
