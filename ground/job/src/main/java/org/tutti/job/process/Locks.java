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

/// Information about threads that only the JVM's management interface has: holders of locks, and virtual
/// threads. The first query costs tens of milliseconds, so the interface is used only if a rank hangs. It may
/// be missing in a run-time image.
final class Locks {
    private Locks() {}

    /// Returns the name of the thread that holds the lock for which `thread` waits; null if the thread waits
    /// for no lock, or the holder is unknown.
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

    /// Returns the stacks of all virtual threads, from the JVM's thread dump.
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

    /// Returns the virtual threads of a thread dump. Threads are separated by empty lines; the first line of a
    /// virtual thread is `#22 "name" virtual WAITING …`.
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
