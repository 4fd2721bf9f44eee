package org.tutti.job.process;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// The threads of this process that could make a call of MPI at any time.
public final class CallingThreads {
    private static final int FEW = 64;

    private CallingThreads() {}

    /// Returns the number of threads that [#otherThreads] returns.
    public static long otherCallers(Predicate<Thread> isBlocked) {
        return otherThreads(isBlocked).size();
    }

    /// Returns the platform threads, except threads that are blocked in a call, and threads of the JVM and of
    /// Tutti. Carrier threads of virtual threads are included.
    public static List<Thread> otherThreads(Predicate<Thread> isBlocked) {
        ThreadGroup all = Thread.currentThread().getThreadGroup();
        while (all.getParent() != null) all = all.getParent();
        Thread[] threads = new Thread[FEW];
        int found = all.enumerate(threads, true);
        while (found == threads.length) { // threads beyond the array are omitted
            threads = new Thread[2 * found];
            found = all.enumerate(threads, true);
        }
        List<Thread> result = new ArrayList<>();
        for (int i = 0; i < found; i++) {
            if (!isBlocked.test(threads[i]) && mayCall(threads[i])) result.add(threads[i]);
        }
        return result;
    }

    /// Returns whether the thread is one of the program, and not of the JVM or of Tutti.
    static boolean mayCall(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        boolean ended = group == null;
        if (ended || group.getParent() == null) return false;
        String name = thread.getName();
        return !name.equals("Common-Cleaner") && !name.equals("DestroyJavaVM") && !name.startsWith("tutti-");
    }
}
