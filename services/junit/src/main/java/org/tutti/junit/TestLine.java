package org.tutti.junit;

import java.util.List;
import org.tutti.job.process.UserLine;

/// Finds the line of the test among the frames of a stack.
final class TestLine {
    private static final List<String> ASSERTING =
            List.of("org.assertj.", "org.hamcrest.", "org.junit.", "org.opentest4j.");

    /// Its lambda is the lowest frame of a rank that is a thread.
    private static final String OWN = RanksInvocation.class.getName();

    private TestLine() {}

    /// Whether it is neither the JDK's, nor of what asserts, nor Tutti's.
    static boolean isOfTest(StackTraceElement frame) {
        String type = frame.getClassName();
        return UserLine.isUsers(type) && ASSERTING.stream().noneMatch(type::startsWith) && !type.equals(OWN);
    }

    /// As ` (SumsTest.java:17)`; empty where there is none.
    static String of(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            if (isOfTest(frame)) return " (" + frame.getFileName() + ":" + frame.getLineNumber() + ")";
        }
        return "";
    }
}
