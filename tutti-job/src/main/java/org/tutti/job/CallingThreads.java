package org.tutti.job;

import java.util.function.Predicate;

/// The threads of this process that could make a call of MPI at any time.
public final class CallingThreads {
    private static final int MOST_SEEN = 64;

    private CallingThreads() {}

    /// How many there are beside those that are blocked in one, the JVM's and Tutti's. Of virtual threads
    /// the one platform thread that all of them need shows that there are, or were, any.
    public static long beside(Predicate<Thread> isBlocked) {
        ThreadGroup all = Thread.currentThread().getThreadGroup();
        while (all.getParent() != null) all = all.getParent();
        Thread[] threads = new Thread[MOST_SEEN];
        int found = all.enumerate(threads, true);
        long others = 0;
        for (int i = 0; i < found; i++) {
            if (!isBlocked.test(threads[i]) && mayCall(threads[i])) others++;
        }
        return others;
    }

    /// Whether it is none of the JVM's threads and none of Tutti's.
    static boolean mayCall(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        boolean ended = group == null;
        if (ended || group.getParent() == null) return false;
        String name = thread.getName();
        return !name.equals("Common-Cleaner") && !name.equals("DestroyJavaVM") && !name.startsWith("tutti-");
    }
}
