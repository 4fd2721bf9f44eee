package org.tutti.junit;

import java.util.List;
import org.tutti.job.process.UserLine;

/// Determines the line of the test from a stack trace.
final class TestLine {
    private static final List<String> ASSERTING =
            List.of("org.assertj.", "org.hamcrest.", "org.junit.", "org.opentest4j.");

    /// The class whose lambda is the lowest frame of a rank, if ranks are threads.
    private static final String OWN = RanksInvocation.class.getName();

    private TestLine() {}

    /// Returns whether the frame is part of the test, and not of the JDK, an assertion library or Tutti.
    static boolean isOfTest(StackTraceElement frame) {
        String type = frame.getClassName();
        return UserLine.isUsers(type) && ASSERTING.stream().noneMatch(type::startsWith) && !type.equals(OWN);
    }

    /// Returns the line as ` (SumsTest.java:17)`; empty if none.
    static String of(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            if (isOfTest(frame)) return " (" + frame.getFileName() + ":" + frame.getLineNumber() + ")";
        }
        return "";
    }
}
