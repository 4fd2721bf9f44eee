package org.tutti.job.process;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The activity of a thread according to its stack.
///
/// @param kind the category
/// @param words the text that follows `rank 3 is …`, for example `asleep (Thread.sleep) at Halo.java:40`
public record ThreadState(Kind kind, String words) {
    /// Categories, which determine whether the thread's processor time is informative.
    public enum Kind {
        /// The thread waits for time to pass, for a different thread, or for a device.
        WAITS,
        /// The thread is in a call of Tutti, in which it may be about to wait.
        CALLS,
        /// The thread may be running, or may be in native code that waits.
        RUNS
    }

    private static final String FOR_A_THREAD = "waiting for another thread";
    static final ThreadState WITHOUT_THREADS = new ThreadState(Kind.WAITS, "without a thread that runs the program");

    private static final List<String> FILES = List.of(
            "java.io.File",
            "java.io.RandomAccessFile",
            "java.nio.file.",
            "sun.nio.ch.FileDispatcherImpl",
            "sun.nio.ch.UnixFileDispatcherImpl",
            "sun.nio.ch.FileChannelImpl",
            "sun.nio.fs.");
    private static final List<String> DOWNCALL = List.of("jdk.internal.foreign.abi.DowncallStub");
    private static final List<String> SOCKETS = List.of(
            "java.net.",
            "sun.nio.ch.Net",
            "sun.nio.ch.Socket",
            "sun.nio.ch.NioSocketImpl",
            "sun.nio.ch.ServerSocketChannelImpl",
            "sun.nio.ch.DatagramChannelImpl");

    /// Returns the state in the form of the first line of a rank's answer (see [RankStacks]).
    @Override
    public String toString() {
        return kind + " " + words;
    }

    /// Parses the result of [#toString]; returns null for other lines.
    public static @Nullable ThreadState read(String line) {
        for (Kind kind : Kind.values()) {
            if (line.startsWith(kind + " "))
                return new ThreadState(kind, line.substring(kind.name().length() + 1));
        }
        return null;
    }

    /// Returns this state; if this thread waits for a thread that is in an MPI call, returns this state with
    /// that call appended.
    ThreadState besides(Map<String, ThreadState> others) {
        if (kind != Kind.WAITS || !words.startsWith(FOR_A_THREAD)) return this;
        for (Map.Entry<String, ThreadState> other : others.entrySet()) {
            if (other.getValue().kind != Kind.CALLS) continue;
            return new ThreadState(kind, words + "; thread \"" + other.getKey() + "\" is " + other.getValue().words);
        }
        return this;
    }

    /// Returns the state of `thread`, based on this recent stack.
    static ThreadState of(Thread thread, StackTraceElement[] stack) {
        Thread.State state = thread.getState();
        return of(state, stack, Locks.holder(thread, state));
    }

    /// Returns the state of a thread. `holder` is the name of the thread that holds the lock for which this
    /// thread waits; null if this thread waits for no lock, or the holder is unknown.
    static ThreadState of(Thread.State state, StackTraceElement[] stack, @Nullable String holder) {
        int users = 0;
        while (users < stack.length && !UserLine.isUsers(stack[users].getClassName())) users++;
        String at = users == stack.length ? "" : " at " + line(stack[users]);
        int entered = isOfTutti(stack, users) ? lastOfTutti(stack, users) : users - 1;
        String call = entered < 0 ? "" : call(stack[entered]);
        String in = call.isEmpty() ? "" : " (" + call + ")";
        String held = holder == null ? "" : ", which thread \"" + holder + "\" holds";
        if (stack.length == 0) return new ThreadState(Kind.RUNS, "in no Java code");
        if (isOfTutti(stack, users)) return new ThreadState(Kind.CALLS, "in " + stack[entered].getMethodName() + at);
        if (hasOne(stack, users, DOWNCALL)) return new ThreadState(Kind.RUNS, "in a native call" + at);
        if (isAny(stack, users, "java.lang.Thread", "sleep")) return new ThreadState(Kind.WAITS, "asleep" + in + at);
        if (isAny(stack, users, "java.lang.Runtime", "gc")) {
            return new ThreadState(Kind.RUNS, "in garbage collection" + in + at);
        }
        if (hasOne(stack, users, SOCKETS)) return new ThreadState(Kind.WAITS, "in socket I/O" + in + at);
        if (hasOne(stack, users, FILES)) return new ThreadState(Kind.WAITS, "in file I/O" + in + at);
        if (isAny(stack, users, "java.lang.Process", "waitFor")) {
            return new ThreadState(Kind.WAITS, "waiting for a process to end" + in + at);
        }
        return switch (state) {
            case BLOCKED -> new ThreadState(Kind.WAITS, "waiting for a lock (synchronized)" + at + held);
            case WAITING, TIMED_WAITING ->
                new ThreadState(Kind.WAITS, (holder == null ? FOR_A_THREAD : "waiting for a lock") + in + at + held);
            case NEW, RUNNABLE, TERMINATED ->
                users > 0 && stack[0].isNativeMethod()
                        ? new ThreadState(Kind.RUNS, "in a native call" + in + at)
                        : new ThreadState(Kind.RUNS, "in user code" + at);
        };
    }

    private static boolean isOfTutti(StackTraceElement[] stack, int users) {
        return lastOfTutti(stack, users) >= 0 && users < stack.length;
    }

    /// Returns the index of the frame of Tutti's API that the user's code has called; -1 if there is no such
    /// frame.
    private static int lastOfTutti(StackTraceElement[] stack, int users) {
        int last = users - 1;
        return last >= 0 && UserLine.isOfTutti(stack[last].getClassName()) ? last : -1;
    }

    private static boolean isAny(StackTraceElement[] stack, int end, String className, String method) {
        for (int i = 0; i < end; i++) {
            if (stack[i].getClassName().startsWith(className)
                    && stack[i].getMethodName().equals(method)) return true;
        }
        return false;
    }

    private static boolean hasOne(StackTraceElement[] stack, int end, List<String> prefixes) {
        for (int i = 0; i < end; i++) {
            String name = stack[i].getClassName();
            for (String prefix : prefixes) if (name.startsWith(prefix)) return true;
        }
        return false;
    }

    /// Returns the call of a frame, for example `Files.readAllBytes`.
    private static String call(StackTraceElement frame) {
        String name = frame.getClassName();
        return name.substring(name.lastIndexOf('.') + 1).replace('$', '.') + "." + frame.getMethodName();
    }

    private static String line(StackTraceElement frame) {
        String file = frame.getFileName();
        if (file == null) return frame.getClassName() + "." + frame.getMethodName();
        return frame.getLineNumber() > 0 ? file + ":" + frame.getLineNumber() : file;
    }
}
