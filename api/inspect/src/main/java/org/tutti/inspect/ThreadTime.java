package org.tutti.inspect;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/// How much processor time a thread has used. Where the JVM has no `java.management`, or the thread is a virtual
/// one, that is not known: then it stays at nothing.
final class ThreadTime {
    private static final boolean IS_KNOWN = isKnown();

    private ThreadTime() {}

    private static boolean isKnown() {
        try {
            return Known.BEAN.isThreadCpuTimeSupported();
        } catch (LinkageError e) {
            return false;
        }
    }

    /// Loaded only where the module is there.
    private static final class Known {
        static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    }

    static long usedNanos(Thread thread) {
        if (!IS_KNOWN || thread.isVirtual()) return 0;
        return Math.max(0, Known.BEAN.getThreadCpuTime(thread.threadId()));
    }
}
