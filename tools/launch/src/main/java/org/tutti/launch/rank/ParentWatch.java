package org.tutti.launch.rank;

import org.tutti.job.os.OsPlatform;
import org.tutti.launch.machine.ProcessStat;

/// Ends a rank after the end of Tutti's launcher or the native launcher. The parent of the rank is a shell, see
/// `RankShell`; a signal reports the end of the shell. But the shell outlives the native launcher, and mpirun
/// outlives Tutti's launcher, so the rank also checks the two launchers once per second.
final class ParentWatch {
    private ParentWatch() {}

    private static final long EVERY_MILLIS = 1000;
    private static final int KILLED = 137;

    /// @param tutti the pid of Tutti's launcher; 0 if it runs on a remote machine
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
