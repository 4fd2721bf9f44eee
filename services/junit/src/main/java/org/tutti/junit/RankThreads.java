package org.tutti.junit;

import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/// The threads of the ranks in one run, and the position of each thread at the time limit.
final class RankThreads {
    private final @Nullable Thread[] threads;
    private final String[] places;

    RankThreads(int size) {
        threads = new Thread[size];
        places = new String[size];
    }

    /// Records that the calling thread is the thread of `rank`.
    synchronized void begin(int rank) {
        threads[rank] = Thread.currentThread();
    }

    synchronized void look() {
        for (int rank = 0; rank < threads.length; rank++) {
            Thread thread = threads[rank];
            places[rank] = thread == null ? "has not started" : place(thread.getStackTrace());
        }
    }

    private static String place(StackTraceElement[] stack) {
        String line = TestLine.of(stack);
        if (line.isEmpty()) return "has ended";
        // the current call of MPI, if any
        String call = "";
        for (StackTraceElement frame : stack) {
            if (TestLine.isOfTest(frame)) break;
            if (frame.getClassName().startsWith("org.tutti.mpi.")) call = "in " + frame.getMethodName();
        }
        return (call.isEmpty() ? "in the program" : call) + line;
    }

    synchronized String text(int seconds) {
        StringJoiner text = new StringJoiner("\n  ", "not over after " + seconds + " s:\n  ", "");
        for (int rank = 0; rank < threads.length; rank++) text.add("rank " + rank + ": " + places[rank]);
        return text.toString();
    }
}
