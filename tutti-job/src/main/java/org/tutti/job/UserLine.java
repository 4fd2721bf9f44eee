package org.tutti.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The line of the user's program that is at work: the first one outside of Tutti and the JDK. A walk
/// costs about a microsecond, so only where something is slow, over or wrong already.
public final class UserLine {
    private static final StackWalker WALKER = StackWalker.getInstance();

    /// Tutti's modules that call or are called by a program; its testkit and benchmarks are programs
    /// themselves.
    private static final List<String> NOT_USERS = List.of(
            "java.",
            "javax.",
            "jdk.",
            "sun.",
            "org.tutti.job.",
            "org.tutti.spi.",
            "org.tutti.mpi.",
            "org.tutti.compat.",
            "org.tutti.coll.",
            "org.tutti.shm.",
            "org.tutti.libmpi.",
            "org.tutti.inspect.",
            "org.tutti.futures.",
            "org.tutti.train.",
            "org.tutti.launch.",
            "org.tutti.cli.");

    /// The package of a drop-in, with its dot; empty while there is none.
    private static volatile String dropIn = "";

    private UserLine() {}

    /// From now on the classes of this package, not of those in it, are not the program's either.
    public static void exclude(String packageName) {
        dropIn = packageName + ".";
    }

    /// Of the calling thread: `Ring.java:30`; empty when there is none.
    public static String here() {
        return WALKER.walk(frames -> frames.filter(f -> isUsers(f.getClassName()))
                .findFirst()
                .map(UserLine::text)
                .orElse(""));
    }

    /// Of the calling thread, with class and method; null when there is none.
    public static @Nullable StackTraceElement frame() {
        return WALKER.walk(frames -> frames.filter(f -> isUsers(f.getClassName()))
                .findFirst()
                .map(StackWalker.StackFrame::toStackTraceElement)
                .orElse(null));
    }

    /// The same as the end of a sentence: ` at Ring.java:30`; empty when there is none.
    public static String at() {
        String line = here();
        return line.isEmpty() ? "" : " at " + line;
    }

    /// Of another thread.
    public static String of(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (!isUsers(frame.getClassName())) continue;
            return text(frame.getClassName(), frame.getMethodName(), frame.getFileName(), frame.getLineNumber());
        }
        return "";
    }

    private static String text(StackWalker.StackFrame frame) {
        return text(frame.getClassName(), frame.getMethodName(), frame.getFileName(), frame.getLineNumber());
    }

    private static String text(String className, String method, @Nullable String file, int line) {
        if (file == null) return className + "." + method;
        return line > 0 ? file + ":" + line : file;
    }

    /// Whether it is neither Tutti's nor the JDK's.
    public static boolean isUsers(String className) {
        for (String prefix : NOT_USERS) if (className.startsWith(prefix)) return false;
        return !isOfDropIn(className);
    }

    private static boolean isOfDropIn(String className) {
        String own = dropIn;
        return !own.isEmpty() && className.startsWith(own) && className.indexOf('.', own.length()) < 0;
    }

    /// Whether it is one of Tutti's, or of a drop-in.
    static boolean isOfTutti(String className) {
        return className.startsWith("org.tutti.") || isOfDropIn(className);
    }
}
