package org.tutti.job.process;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The answer of a rank to the launcher's request for the rank's state: one line for the main thread, followed
/// by the stacks of all threads that may run the program's code; the stack of the main thread is first.
///
///     RUNS in user code at Halo.java:40
///     "main" RUNNABLE, called Mpi.init
///         at Halo.step(Halo.java:40)
///         …
public final class RankStacks {
    private static final StackTraceElement[] NO_FRAMES = {};

    private RankStacks() {}

    /// Returns the answer of this process.
    ///
    /// @param initThread the thread that called `Mpi.init`; null if no thread has called it
    static String ofThisProcess(@Nullable Thread initThread) {
        Map<Thread, StackTraceElement[]> stacks = Thread.getAllStackTraces();
        List<Thread> threads = new ArrayList<>();
        for (Thread thread : stacks.keySet()) if (mayRunTheProgram(thread)) threads.add(thread);
        threads.sort(Comparator.comparingLong(Thread::threadId));
        Thread main = main(threads, initThread);
        if (main != null) {
            threads.remove(main);
            threads.addFirst(main);
        }
        StringBuilder text = new StringBuilder();
        ThreadState state = ThreadState.WITHOUT_THREADS;
        if (main != null) {
            Map<String, ThreadState> others = new LinkedHashMap<>();
            for (Thread thread : threads) {
                if (thread == main) continue;
                others.put(thread.getName(), ThreadState.of(thread, stacks.getOrDefault(thread, NO_FRAMES)));
            }
            state = ThreadState.of(main, stacks.getOrDefault(main, NO_FRAMES)).besides(others);
        }
        text.append(state).append('\n');
        for (Thread thread : threads)
            append(text, thread, thread == initThread, stacks.getOrDefault(thread, NO_FRAMES));
        if (hasVirtualThreads(stacks)) appendVirtual(text);
        return text.toString();
    }

    /// Returns the answer of a rank that is a thread of this process, with the stacks of the other threads
    /// except threads selected by `isLeftOut`.
    static String of(Thread rank, Predicate<Thread> isLeftOut) {
        StackTraceElement[] own = rank.getStackTrace();
        StringBuilder text = new StringBuilder();
        text.append(ThreadState.of(rank, own)).append('\n');
        append(text, rank, false, own);
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            if (!isLeftOut.test(thread) && mayRunTheProgram(thread)) append(text, thread, false, stack);
        });
        return text.toString();
    }

    /// Returns whether the thread may run the program's code. Carrier threads of virtual threads are excluded.
    private static boolean mayRunTheProgram(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        boolean carries =
                group == null || isOfCarriers(group) || thread.getName().equals("VirtualThread-unblocker");
        return !carries && CallingThreads.mayCall(thread);
    }

    private static boolean isOfCarriers(ThreadGroup group) {
        return group.getName().equals("CarrierThreads");
    }

    private static boolean hasVirtualThreads(Map<Thread, StackTraceElement[]> stacks) {
        for (Thread thread : stacks.keySet()) {
            ThreadGroup group = thread.getThreadGroup();
            if (group != null && isOfCarriers(group)) return true;
        }
        return false;
    }

    private static @Nullable Thread main(List<Thread> threads, @Nullable Thread initThread) {
        if (initThread != null && threads.contains(initThread)) return initThread;
        for (Thread thread : threads) if (thread.getName().equals("main")) return thread;
        return threads.isEmpty() ? null : threads.getFirst();
    }

    private static void append(StringBuilder text, Thread thread, boolean init, StackTraceElement[] stack) {
        Thread.State state = thread.getState();
        text.append('"').append(thread.getName()).append('"');
        if (thread.isDaemon()) text.append(" daemon");
        text.append(' ').append(state);
        if (init) text.append(", called Mpi.init");
        Object blocker = LockSupport.getBlocker(thread);
        if (blocker != null)
            text.append(", waits for ").append(blocker.getClass().getName());
        String holder = Locks.holder(thread, state);
        if (holder != null)
            text.append(", waits for a lock that \"").append(holder).append("\" holds");
        text.append('\n');
        for (StackTraceElement frame : stack) {
            if (!isOfAHandle(frame)) text.append("    at ").append(shown(frame)).append('\n');
        }
        text.append('\n');
    }

    /// Returns a frame in Java's format, without loaders and modules.
    private static String shown(StackTraceElement frame) {
        return new StackTraceElement(
                        frame.getClassName(), frame.getMethodName(), frame.getFileName(), frame.getLineNumber())
                .toString();
    }

    /// Returns whether the JVM has generated the frame for a method handle. Such frames are not informative.
    private static boolean isOfAHandle(StackTraceElement frame) {
        String name = frame.getClassName();
        return name.startsWith("java.lang.invoke.LambdaForm$") || name.startsWith("java.lang.invoke.Invokers$");
    }

    /// Appends the stacks of virtual threads. Only the JVM has information about unmounted virtual threads.
    private static void appendVirtual(StringBuilder text) {
        try {
            text.append(Locks.virtualThreads());
        } catch (IOException | RuntimeException | LinkageError e) {
            text.append("virtual threads could not be listed: ").append(e).append('\n');
        }
    }
}
