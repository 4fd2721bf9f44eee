package org.tutti.launch.rank;

import org.tutti.job.os.OsPlatform;
import org.tutti.launch.machine.ProcessStat;

/// Ends a rank whose launchers have ended: Tutti's, or the native one. Between that and the rank is the
/// rank's shell, see `RankExits`: its end is the parent's and a signal; the end of the shell's own parent,
/// which the shell outlives, and of Tutti's launcher, which mpirun outlives, is looked for once a second.
final class ParentWatch {
    private ParentWatch() {}

    private static final long EVERY_MILLIS = 1000;
    private static final int KILLED = 137;

    /// @param tutti the pid of Tutti's launcher; 0 where it is on another machine
    static void start(long tutti) {
        String began = tutti == 0 ? "" : ProcessStat.beginning(tutti);
        if (tutti != 0 && began.isEmpty()) Runtime.getRuntime().halt(KILLED);
        long shell = ProcessStat.parent("self");
        if (shell <= 1) return;
        OsPlatform.open().dieWithParent(shell);
        long launcher = ProcessStat.parent(Long.toString(shell));
        Thread.ofPlatform().daemon().name("tutti-launcher-watch").start(() -> {
            try {
                do Thread.sleep(EVERY_MILLIS);
                while (ProcessStat.parent("self") == shell
                        && ProcessStat.parent(Long.toString(shell)) == launcher
                        && (tutti == 0 || ProcessStat.beginning(tutti).equals(began)));
            } catch (InterruptedException e) {
                return;
            }
            Runtime.getRuntime().halt(KILLED);
        });
    }
}
