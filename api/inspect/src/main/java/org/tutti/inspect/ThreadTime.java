package org.tutti.inspect;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/// The processor time of threads. It is unknown and stays 0 for virtual threads and if the JVM has no
/// `java.management`.
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

    /// Access to the processor times. The class is loaded only if the module is present.
    private static final class Known {
        static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    }

    static long usedNanos(Thread thread) {
        if (!IS_KNOWN || thread.isVirtual()) return 0;
        return Math.max(0, Known.BEAN.getThreadCpuTime(thread.threadId()));
    }
}
