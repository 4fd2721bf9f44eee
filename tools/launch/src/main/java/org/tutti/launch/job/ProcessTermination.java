package org.tutti.launch.job;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Terminates processes: SIGTERM, a short wait, then SIGKILL, which also ends stopped processes. At the end,
/// kills the descendants that the processes had at the beginning.
final class ProcessTermination {
    private ProcessTermination() {}

    private static final long KILLED_MILLIS = 2000;
    private static final long POLL_MILLIS = 5;

    static void all(List<ProcessHandle> processes, long graceMillis) throws InterruptedException {
        List<ProcessHandle> alive = new ArrayList<>();
        for (ProcessHandle p : processes) if (p.isAlive()) alive.add(p);
        if (alive.isEmpty()) return;
        List<ProcessHandle> descendants = descendants(alive);
        for (ProcessHandle p : alive) p.destroy();
        if (!haveExited(alive, graceMillis)) {
            for (ProcessHandle p : alive) p.destroyForcibly();
            haveExited(alive, KILLED_MILLIS);
        }
        for (ProcessHandle p : descendants) p.destroyForcibly();
    }

    /// Returns the descendants of `processes`, without `processes` themselves. Finds only processes that are also
    /// descendants of this process.
    static List<ProcessHandle> descendants(List<ProcessHandle> processes) {
        Map<ProcessHandle, List<ProcessHandle>> children = new HashMap<>(); // one query of the system for all processes
        ProcessHandle.current()
                .descendants()
                .forEach(p -> p.parent()
                        .ifPresent(parent -> children.computeIfAbsent(parent, _ -> new ArrayList<>())
                                .add(p)));
        List<ProcessHandle> found = new ArrayList<>(processes);
        for (int i = 0; i < found.size(); i++) found.addAll(children.getOrDefault(found.get(i), List.of()));
        return found.subList(processes.size(), found.size());
    }

    private static boolean haveExited(List<ProcessHandle> processes, long millis) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (true) {
            boolean all = true;
            for (ProcessHandle p : processes) all &= !p.isAlive();
            if (all) return true;
            if (System.nanoTime() - end >= 0) return false;
            Thread.sleep(POLL_MILLIS);
        }
    }
}
