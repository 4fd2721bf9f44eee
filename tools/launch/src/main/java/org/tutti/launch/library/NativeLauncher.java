package org.tutti.launch.library;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.UsageException;
import org.tutti.launch.run.Run;

/// A program that starts ranks for a native MPI library, and how it is spoken to.
public abstract sealed class NativeLauncher permits OpenMpiLauncher, HydraLauncher, SlurmLauncher {
    final Path command;

    private final String library;

    NativeLauncher(Path command, String library) {
        this.command = command;
        this.library = library;
    }

    /// What the engine shall load: `openmpi`, `mpich`, or a path.
    public final String library() {
        return library;
    }

    /// What a person calls it.
    public abstract String title();

    /// Whether it decides which cpus ranks run on; else their shells do, the same way for any library.
    public boolean places(Run run) {
        return run.placement().elsewhere();
    }

    /// The beginning of the command line: up to what is said of the first program.
    ///
    /// @param tagged whether each line of output shall tell its rank
    /// @throws UsageException if it cannot do what the run asks for
    public abstract List<String> options(Run run, boolean tagged);

    /// What stands before the words of a program.
    ///
    /// @param names the variables that ranks shall find as they are in this launcher's own environment
    abstract List<String> ofPart(Run run, int ranks, Iterable<String> names);

    /// Whether it takes several programs, divided by a `:`.
    boolean takesSeveralPrograms() {
        return true;
    }

    /// Whether it does not notice that one of its children, a connection to another machine, has ended.
    public boolean waitsForLostConnections() {
        return false;
    }

    /// What it must find in its own environment.
    public void environment(Run run, Map<String, String> variables) {}

    /// Takes away what it has left on this machine. It has ended, and so have the ranks.
    ///
    /// @param pid its own
    /// @param environment that it had
    public void sweep(long pid, Map<String, String> environment) {}

    /// The same in words for the shell around a rank that has ended, where this launcher may have ended
    /// before.
    String sweep() {
        return "";
    }

    /// How the names begin of files in /dev/shm that the library creates and removes again while it starts.
    public List<String> startFiles() {
        return List.of();
    }

    /// Shell words for the shell around a rank of this machine that has ended and reported how: they delay the
    /// end of
    /// the shell, at which this launcher kills the other ranks, until `tutti run` has read which files these
    /// map.
    final String pauseForFiles() {
        if (startFiles().isEmpty()) return "";
        StringBuilder words = new StringBuilder("[ $code = 0 ] || for file in");
        for (String name : startFiles())
            words.append(' ')
                    .append(SharedFiles.DIRECTORY)
                    .append('/')
                    .append(name)
                    .append('*');
        return words + "; do if [ -e \"$file\" ]; then sleep 0.5; break; fi; done; ";
    }

    /// Where ranks find out which one they are.
    abstract RankShell.Names names();

    /// Who wrote a line of output that begins with `head`; null where it does not say so.
    ///
    /// @param stream 0 for stdout, 1 for stderr
    public abstract @Nullable Tag tag(String head, int stream);

    /// Takes the tag at the beginning of a line out of a later part of it, where it stands again if the rank
    /// wrote the line in pieces; returns the part's new end.
    public int withoutTags(byte[] buffer, int from, int to, byte[] tag) {
        return to;
    }

    /// @param length of the tag in bytes, up to where the rank's own words begin
    public record Tag(int rank, int length) {}

    /// The number at `at`; -1 if there is none.
    static int number(String text, int at) {
        int end = at;
        while (end < text.length() && Character.isDigit(text.charAt(end))) end++;
        return end == at || end > at + 9 ? -1 : Integer.parseInt(text, at, end, 10);
    }

    UsageException cannot(String option, String instead) {
        return new UsageException(
                option + ": " + title() + " cannot do that" + (instead.isEmpty() ? "" : "; " + instead));
    }
}
