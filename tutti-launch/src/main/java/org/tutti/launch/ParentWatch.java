package org.tutti.launch;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// Ends this process when its parent, a native MPI's daemon, has ended: looked at once a second, by a daemon thread.
final class ParentWatch {
    private ParentWatch() {}

    private static final long EVERY_MILLIS = 1000;
    private static final int KILLED = 137;

    static void start() {
        long parent = parent();
        if (parent <= 1) return;
        Thread.ofPlatform().daemon().name("tutti-parent-watch").start(() -> {
            try {
                do Thread.sleep(EVERY_MILLIS);
                while (parent() == parent);
            } catch (InterruptedException e) {
                return;
            }
            Runtime.getRuntime().halt(KILLED);
        });
    }

    /// The parent's pid now; 0 where it cannot be read.
    private static long parent() {
        try (FileInputStream in = new FileInputStream("/proc/self/stat")) {
            String stat = new String(in.readNBytes(1024), StandardCharsets.ISO_8859_1);
            // pid (name) state ppid …, and the name may hold anything
            String rest = stat.substring(stat.lastIndexOf(')') + 4);
            return Long.parseLong(rest.substring(0, rest.indexOf(' ')));
        } catch (IOException e) {
            return ProcessHandle.current().parent().map(ProcessHandle::pid).orElse(0L);
        }
    }
}
