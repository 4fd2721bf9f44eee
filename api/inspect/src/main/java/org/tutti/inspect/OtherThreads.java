package org.tutti.inspect;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.tutti.job.process.CallingThreads;
import org.tutti.job.process.UserLine;

/// The threads of the program that are not blocked in a call, and which of these threads can still make a call.
///
/// A pool thread that waits for a task in an empty queue cannot make a call: only a running thread or a timer
/// can wake it. Therefore a rank whose threads are all blocked in calls or idle in pools makes no further call
/// (docs/dev/deadlocks.md). A thread counts as idle when
///
/// 1. the thread's class and all frames of the stack are part of the JDK, and the stack ends in a wait for a
///    task without a time limit,
/// 2. the thread has met conditions 1 and 3 in [#IDLE_ROUNDS] consecutive rounds and has used no processor time
///    from the first of them to the last. In each round, the stacks of all threads are taken at one moment. So
///    no task can have passed from one of these threads to another unnoticed,
/// 3. the system reports at the same time that the thread sleeps: a thread that was woken and waits for a
///    processor is runnable.
///
/// Every other thread counts as a thread that can make a call: a timer with a task, a selector, a thread of
/// unknown purpose, and all threads if the JVM does not report processor times. Rounds run about once per
/// second.
final class OtherThreads {
    /// The number of rounds after which a thread that has been woken has certainly received a processor. This
    /// is needed on systems that report no thread states.
    static final int IDLE_ROUNDS = 3;

    /// Queues with elements that can be taken at any time.
    private static final Set<String> QUEUES = Set.of(
            "java.util.concurrent.LinkedBlockingQueue",
            "java.util.concurrent.ArrayBlockingQueue",
            "java.util.concurrent.SynchronousQueue",
            "java.util.concurrent.LinkedTransferQueue",
            "java.util.concurrent.LinkedBlockingDeque",
            "java.util.concurrent.PriorityBlockingQueue");

    private static final String DELAYED = "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue";

    private record Idle(long usedNanos, int rounds) {}

    private final ToLongFunction<Thread> usedNanos;
    private Map<Thread, Idle> idle = new IdentityHashMap<>();

    /// @param usedNanos the processor time of a thread; 0 if unknown
    OtherThreads(ToLongFunction<Thread> usedNanos) {
        this.usedNanos = usedNanos;
    }

    /// Returns the threads that can make a call, and the threads that wait in a call.
    ///
    /// @param isKnown selects threads that make no calls
    /// @param isWaiting selects threads that wait in a call; the stacks of these threads are not read
    List<Thread> mayCall(Predicate<Thread> isKnown, Predicate<Thread> isWaiting) {
        List<Thread> may = new ArrayList<>();
        Map<Thread, Long> used = new HashMap<>();
        for (Thread t : CallingThreads.otherThreads(isKnown)) {
            if (isWaiting.test(t)) may.add(t);
            else used.put(t, usedNanos.applyAsLong(t));
        }
        Map<Thread, Idle> before = idle;
        idle = new IdentityHashMap<>();
        if (used.isEmpty()) return may;
        Map<Thread, StackTraceElement[]> stacks = Thread.getAllStackTraces();
        SystemThreads system = SystemThreads.now(); // between the two readings of processor times
        for (Thread t : CallingThreads.otherThreads(t -> isKnown.test(t) || isWaiting.test(t))) {
            StackTraceElement[] stack = stacks.get(t);
            Long usedBefore = used.get(t);
            long now = usedNanos.applyAsLong(t);
            boolean hasRested = usedBefore != null && now == usedBefore && now > 0 && system.sleeps(t);
            if (stack == null || !hasRested || !isOfTheJdk(t.getClass().getName()) || !isIdle(t.getState(), stack)) {
                may.add(t);
                continue;
            }
            Idle last = before.get(t);
            int rounds = last != null && last.usedNanos == now ? last.rounds + 1 : 1;
            idle.put(t, new Idle(now, rounds));
            if (rounds < IDLE_ROUNDS) may.add(t);
        }
        return may;
    }

    /// Returns whether a thread with this stack waits until a different thread submits a task.
    static boolean isIdle(Thread.State state, StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) if (!isOfTheJdk(frame.getClassName())) return false;
        boolean isUntimed = state == Thread.State.WAITING;
        for (int i = 0; i < stack.length; i++) {
            String name = stack[i].getClassName() + "." + stack[i].getMethodName();
            switch (name) {
                case "java.util.concurrent.ThreadPoolExecutor.getTask" -> {
                    return i > 0 && isEmpty(stack[i - 1], isUntimed);
                }
                // if a wait reaches its time limit, the thread ends without a task
                case "java.util.concurrent.ForkJoinPool.awaitWork" -> {
                    return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
                }
                case "java.util.concurrent.DelayScheduler.loop", "java.util.TimerThread.mainLoop" -> {
                    return isUntimed; // with a pending task, the wait has a time limit
                }
                // this thread is blocked in the JVM until a virtual thread exits a monitor
                case "java.lang.VirtualThread.takeVirtualThreadListToUnblock" -> {
                    return true;
                }
                default -> {}
            }
        }
        return false;
    }

    private static boolean isEmpty(StackTraceElement queue, boolean isUntimed) {
        // if the queue contains a task that is due later, one of the waiting workers has a time limit
        if (queue.getClassName().equals(DELAYED)) return isUntimed;
        return QUEUES.contains(queue.getClassName());
    }

    static boolean isOfTheJdk(String className) {
        return className.startsWith("java.") || className.startsWith("jdk.internal.") || className.startsWith("sun.");
    }

    /// Returns whether a thread that `isKnown` does not select is running, as far as stacks show this. A thread
    /// is not running if it is waiting in the JVM, in a native call of the JDK, or in a pool.
    static boolean isAnyRunning(Predicate<Thread> isKnown) {
        for (Thread t : CallingThreads.otherThreads(isKnown)) {
            if (t.getState() == Thread.State.RUNNABLE && mayRun(t.getStackTrace())) return true;
        }
        return false;
    }

    private static boolean mayRun(StackTraceElement[] stack) {
        return stack.length > 0 && !(stack[0].isNativeMethod() && isOfTheJdk(stack[0].getClassName()));
    }

    /// Returns the threads that wait without a time limit in a method of the JDK that the program has called,
    /// such as `CompletableFuture.join`.
    static List<Thread> waiting(Predicate<Thread> isKnown) {
        List<Thread> waiting = new ArrayList<>();
        for (Thread t : CallingThreads.otherThreads(isKnown)) {
            if (t.getState() == Thread.State.WAITING && !UserLine.of(t).isEmpty()) waiting.add(t);
        }
        return waiting;
    }
}
