package org.tutti.launch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.tutti.mpi.bootstrap.JobFile;
import org.tutti.mpi.bootstrap.OsDoor;
import org.tutti.mpi.bootstrap.Place;

/// How ranks that a native MPI's launcher started have ended, and in which order. It does not tell reliably:
/// it may name a rank that it ended itself, or take any code for 1. So each rank has a shell around it, which
/// waits for the JVM, adds a line to a file without a name that this process made, and ends with the same
/// code.
final class RankExits implements AutoCloseable {
    static final String FILE = "TUTTI_EXITS";

    /// A list of cpus for each rank, where ranks are to be bound; the JVM is born on them by `taskset`.
    static final String BINDING = "TUTTI_BINDING";

    /// The rank's number and the exit code, 128 and more for a signal. The shell's own remark on a killed
    /// child goes nowhere; the JVM has the real stderr. That the command is no `java` also keeps Open MPI
    /// from looking for "cp" in its arguments. Hydra gives ranks other than 0 a stdin that never ends.
    private static final String SCRIPT = "exec 3>&2 2>/dev/null; rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; "
            + names() + "[ \"$rank\" = 0 ] || exec </dev/null; "
            + "if [ \"$" + BINDING + "\" ]; then pick() { shift \"$1\"; cpus=$1; }; pick $((rank + 1)) $" + BINDING
            + "; set -- taskset -c \"$cpus\" \"$@\"; fi; \"$@\" 2>&3 3>&-; code=$?; echo \"$rank $code\" >>\"$" + FILE
            + "\"; exit $code";

    /// What programs find in their environment over any engine.
    private static String names() {
        return "export " + Place.RANK + "=\"$rank\" "
                + Place.SIZE + "=\"${OMPI_COMM_WORLD_SIZE:-$PMI_SIZE}\" "
                + Place.LOCAL_RANK + "=\"${OMPI_COMM_WORLD_LOCAL_RANK:-$MPI_LOCALRANKID}\" "
                + Place.LOCAL_SIZE + "=\"${OMPI_COMM_WORLD_LOCAL_SIZE:-$MPI_LOCALNRANKS}\"; ";
    }

    /// One rank's end.
    record Exit(int rank, int code) {}

    private final JobFile file;
    private final FileChannel in;
    private long read = 1; // a new file has one byte
    private String rest = "";

    RankExits() throws IOException {
        file = OsDoor.open().createFile("tutti-exits", 1);
        in = FileChannel.open(Path.of(file.path()), StandardOpenOption.READ);
    }

    /// For the ranks' environment, as `FILE`.
    String path() {
        return file.path();
    }

    /// The command that runs `rank` in its shell.
    static List<String> watched(List<String> rank) {
        List<String> command = new ArrayList<>(List.of("sh", "-c", SCRIPT, "tutti-rank"));
        command.addAll(rank);
        return command;
    }

    /// Those that have ended since the last call, in order.
    List<Exit> news() {
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
