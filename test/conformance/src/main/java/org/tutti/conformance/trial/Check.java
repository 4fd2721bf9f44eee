package org.tutti.conformance.trial;

import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;

/// Assertions that need no test framework, because ranks run with only Tutti's jars.
public final class Check {
    private Check() {}

    private static final Set<String> REJECTIONS = ConcurrentHashMap.newKeySet();

    /// Code that may throw.
    @FunctionalInterface
    public interface Action {
        void run() throws Exception;
    }

    public static void that(boolean fact, String message) {
        if (!fact) throw new AssertionError(message);
    }

    public static void same(long expected, long actual, String label) {
        if (expected != actual) throw new AssertionError(label + ": expected " + expected + " but was " + actual);
    }

    /// Like [#same(long, long, String)] for element `index`, but builds the text only for a wrong element.
    public static void same(long expected, long actual, String label, long index) {
        if (expected != actual) same(expected, actual, label + index);
    }

    public static void same(@Nullable Object expected, @Nullable Object actual, String label) {
        if (!Objects.equals(expected, actual)) {
            throw new AssertionError(label + ":\n  expected " + expected + "\n  but was  " + actual);
        }
    }

    /// Checks that the action fails because of a wrong argument, with exactly this text.
    public static void rejects(ErrorClass errorClass, String text, Action action) {
        MpiException e = fails(errorClass, action);
        same(text, e.getMessage(), "text of " + errorClass);
        rejected(errorClass, e);
    }

    /// Like [#rejects(ErrorClass, String, Action)], but checks only the beginning and the end of the text.
    public static void rejects(ErrorClass errorClass, String begin, String end, Action action) {
        MpiException e = fails(errorClass, action);
        String text = String.valueOf(e.getMessage());
        that(text.startsWith(begin) && text.endsWith(end), "text of " + errorClass + ": " + text);
        rejected(errorClass, e);
    }

    private static void rejected(ErrorClass errorClass, MpiException e) {
        same(MpiException.Scope.ARGUMENT, e.scope(), "scope of " + errorClass);
        for (StackTraceElement frame : e.getStackTrace()) {
            if (frame.getClassName().equals(MpiException.class.getName())) continue;
            REJECTIONS.add(frame.getFileName() + ":" + frame.getLineNumber());
            break;
        }
    }

    /// Returns the source lines that reported the wrong arguments of [#rejects] in this JVM, for example
    /// `Buf.java:199`.
    public static Set<String> rejections() {
        return Set.copyOf(REJECTIONS);
    }

    /// Checks that the action succeeds or fails with this class.
    public static void mayFail(ErrorClass errorClass, Action action) {
        try {
            action.run();
        } catch (Exception e) {
            if (!(e instanceof MpiException mpi) || mpi.errorClass() != errorClass) {
                throw new AssertionError("expected " + errorClass + " or success but was " + e, e);
            }
        }
    }

    /// Checks that the action fails with this class, and returns the failure.
    public static MpiException fails(ErrorClass errorClass, Action action) {
        try {
            action.run();
        } catch (MpiException e) {
            if (e.errorClass() == errorClass) return e;
            throw new AssertionError("expected " + errorClass + " but was " + e.errorClass(), e);
        } catch (Exception e) {
            throw new AssertionError("expected " + errorClass + " but was " + e, e);
        }
        throw new AssertionError("expected " + errorClass + " but no exception was thrown");
    }

    /// Returns the line after the caller's source line, in the format of error texts:
    /// `ArgumentContract.java:40`.
    public static String nextLine() {
        StackWalker.StackFrame caller = StackWalker.getInstance()
                .walk(frames -> frames.skip(1).findFirst().orElseThrow());
        return caller.getFileName() + ":" + (caller.getLineNumber() + 1);
    }
}
