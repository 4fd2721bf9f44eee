package org.tutti.launch.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import org.tutti.job.cpu.CpuList;
import org.tutti.launch.UsageException;
import org.tutti.launch.machine.SearchPath;

/// The ranks to which a debugger may attach (`--debug`).
///
/// @param ranks at least one
/// @param suspend whether these ranks wait for the debugger before the first line of the program
public record Debugging(BitSet ranks, boolean suspend) {
    private static final String ALL = "all";

    /// @param words `0,2-3` or `all`
    /// @throws UsageException if `words` does not name ranks of a job of `size` ranks
    static Debugging of(String words, boolean suspend, int size) {
        BitSet ranks = new BitSet();
        if (words.equals(ALL)) ranks.set(0, size);
        else ranks = CpuList.parse(words);
        if (ranks == null) {
            throw new UsageException("--debug " + words + ": give ranks, as in --debug 0,2-3, or all");
        }
        if (ranks.length() > size) {
            throw new UsageException("--debug " + words + ": there is no rank " + (ranks.length() - 1)
                    + (size == 1 ? "; the job has only rank 0" : "; the job has ranks 0-" + (size - 1)));
        }
        return new Debugging(ranks, suspend);
    }

    /// Returns a prefix of the command of a rank that is suspended at the start, and therefore cannot detect the
    /// end of the launcher: with the prefix, the system kills the rank when the parent process ends. Empty if
    /// ranks are not suspended, or if `setpriv` is not available.
    public List<String> guard() {
        Path setpriv = suspend ? SearchPath.first("setpriv") : null;
        return setpriv == null ? List.of() : List.of(setpriv.toString(), "--pdeathsig", "KILL");
    }

    /// Returns the option that starts the debugger interface on the loopback interface, at a port chosen by the
    /// system. If the ports of processes can be found in /proc, the JVM does not print the port, which would
    /// appear between the lines of the program.
    public String option() {
        boolean found = Files.isDirectory(Path.of("/proc/self/fd"));
        return "-agentlib:jdwp=transport=dt_socket,server=y,suspend=" + (suspend ? "y" : "n")
                + (found ? ",quiet=y" : "") + ",address=127.0.0.1:0";
    }
}
