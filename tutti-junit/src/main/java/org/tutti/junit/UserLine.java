package org.tutti.junit;

import java.util.List;

/// Finds the line of the program among the frames of a stack.
final class UserLine {
    private static final List<String> FOREIGN = List.of(
            "java.",
            "jdk.",
            "org.assertj.",
            "org.hamcrest.",
            "org.junit.",
            "org.opentest4j.",
            "org.tutti.mpi.",
            "org.tutti.job.",
            "org.tutti.shm.",
            "org.tutti.spi.",
            "org.tutti.coll.",
            "org.tutti.inspect.");

    /// Its lambda is the lowest frame of a rank that is a thread.
    private static final String OWN = RanksInvocation.class.getName();

    private UserLine() {}

    /// Whether it is neither the JDK's, nor of what asserts, nor Tutti's.
    static boolean isOfProgram(StackTraceElement frame) {
        return FOREIGN.stream().noneMatch(frame.getClassName()::startsWith)
                && !frame.getClassName().equals(OWN);
    }

    /// As ` (SumsTest.java:17)`; empty where there is none.
    static String of(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            if (isOfProgram(frame)) return " (" + frame.getFileName() + ":" + frame.getLineNumber() + ")";
        }
        return "";
    }
}
