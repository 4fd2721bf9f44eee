package org.tutti.job.process;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// What only the JVM's management knows of threads: who holds a lock, and the virtual ones. It costs tens of
/// milliseconds when it is asked first, so only where a rank hangs; a run-time image may lack it.
final class Locks {
    private Locks() {}

    /// The name of the thread that holds the lock for which `thread` waits; null when it waits for none, or
    /// nobody knows.
    static @Nullable String holder(Thread thread, Thread.State state) {
        boolean owned =
                state == Thread.State.BLOCKED || LockSupport.getBlocker(thread) instanceof AbstractOwnableSynchronizer;
        if (!owned) return null;
        try {
            ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(thread.threadId());
            return info == null ? null : info.getLockOwnerName();
        } catch (LinkageError | RuntimeException e) {
            return null;
        }
    }

    /// The stacks of all virtual threads, as the JVM's own thread dump has them.
    static String virtualThreads() throws IOException {
        Path directory = Files.createTempDirectory("tutti-threads");
        try {
            Path file = directory.resolve("dump");
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpThreads(file.toString(), ThreadDumpFormat.TEXT_PLAIN);
            try {
                return onlyVirtual(Files.readString(file));
            } finally {
                Files.deleteIfExists(file);
            }
        } finally {
            Files.deleteIfExists(directory);
        }
    }

    /// Blocks of lines are divided by empty ones; the first of each is `#22 "name" virtual WAITING …`.
    static String onlyVirtual(String dump) {
        StringBuilder text = new StringBuilder();
        for (String block : dump.split("\n\n")) {
            String head = block.strip();
            int end = head.indexOf('\n');
            String first = end < 0 ? head : head.substring(0, end);
            if (first.startsWith("#") && first.contains("\" virtual ")) {
                text.append(head.substring(head.indexOf('"'))).append("\n\n");
            }
        }
        return text.toString();
    }
}
