package org.tutti.launch.library;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.UsageException;
import org.tutti.launch.run.Run;

/// A program that starts ranks for a native MPI library, and the syntax of the command line.
public abstract sealed class NativeLauncher permits OpenMpiLauncher, HydraLauncher, SlurmLauncher {
    final Path command;

    private final String library;

    NativeLauncher(Path command, String library) {
        this.command = command;
        this.library = library;
    }

    /// Returns the library for the engine: `openmpi`, `mpich`, `abi`, or a path.
    public final String library() {
        return library;
    }

    /// Returns the name for messages.
    public abstract String title();

    /// Whether this launcher determines the cpus of ranks. Otherwise the shells of the ranks bind the ranks, in
    /// the same way for all libraries.
    public boolean places(Run run) {
        return run.placement().elsewhere();
    }

    /// Returns the beginning of the command line, before the first program.
    ///
    /// @param tagged whether each line of output must be tagged with the rank
    /// @throws UsageException if the launcher does not support the run
    public abstract List<String> options(Run run, boolean tagged);

    /// Returns the arguments before a program.
    ///
    /// @param names variables that ranks inherit unchanged from the environment of this launcher
    abstract List<String> ofPart(Run run, int ranks, Iterable<String> names);

    /// Whether this launcher accepts several programs, separated by `:`.
    boolean takesSeveralPrograms() {
        return true;
    }

    /// Returns whether the launcher ignores the end of a child that connects to a remote machine, and would
    /// therefore wait forever for the ranks of the remote machine.
    public boolean waitsForLostConnections() {
        return false;
    }

    /// Adds the variables that this launcher needs in the environment.
    public void environment(Run run, Map<String, String> variables) {}

    /// Removes the files that this launcher has left on this machine. Called after the launcher and the ranks
    /// have ended.
    ///
    /// @param pid the launcher's pid
    /// @param environment the launcher's environment
    public void sweep(long pid, Map<String, String> environment) {}

    /// Returns shell code for the cleanup of [#sweep(long, Map)]. The shell of a rank runs the code after the
    /// end of the rank, in case this launcher ends first.
    String sweep() {
        return "";
    }

    /// Returns the prefixes of files in /dev/shm that the library creates and removes during the start.
    public List<String> startFiles() {
        return List.of();
    }

    /// Returns code that the shell of a rank on this machine runs after it has reported the exit code of the
    /// rank. When the shell of a failed rank ends, this launcher kills the other ranks. The code delays the end
    /// of that shell, so that `tutti run` can first determine which of the [#startFiles] are mapped.
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

    /// Returns the shell expressions for the rank, the numbers of ranks and the number of cores.
    abstract RankShell.Names names();

    /// Returns the tag of a line of output that begins with `head`; null if the line has no tag.
    ///
    /// @param stream 0 for stdout, 1 for stderr
    public abstract @Nullable Tag tag(String head, int stream);

    /// Removes the line's tag from a later part of the line: if a rank writes a line in pieces, some launchers
    /// tag each piece. Returns the new end of the part.
    public int withoutTags(byte[] buffer, int from, int to, byte[] tag) {
        return to;
    }

    /// The tag at the beginning of a line.
    ///
    /// @param rank the rank that has written the line
    /// @param length the length of the tag in bytes, up to the rank's text
    public record Tag(int rank, int length) {}

    /// Returns the number that begins at `at`; -1 if no number begins there, or if the number has more than nine
    /// digits.
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
