package org.tutti.job;

/// A failure as the board keeps it: the exception, the top of its stack down to the user's line at least, its
/// causes.
final class FailureReport {
    private FailureReport() {}

    private static final int FRAMES = 12;
    private static final int MOST_FRAMES = 24;
    private static final int FRAMES_OF_A_CAUSE = 3;
    private static final int CAUSES = 4;

    static String of(Throwable failure) {
        StringBuilder text = new StringBuilder(1024);
        append(text, failure, FRAMES);
        Throwable cause = failure.getCause();
        for (int i = 0; i < CAUSES && cause != null; i++, cause = cause.getCause()) {
            text.append("Caused by: ");
            append(text, cause, FRAMES_OF_A_CAUSE);
        }
        return NativeFrames.removed(text.toString());
    }

    private static void append(StringBuilder text, Throwable failure, int frames) {
        text.append(failure).append('\n');
        StackTraceElement[] stack = failure.getStackTrace();
        int shown = Math.min(frames, stack.length);
        if (frames == FRAMES) shown = Math.max(shown, Math.min(MOST_FRAMES, toUsers(stack)));
        for (int i = 0; i < shown; i++) text.append("\tat ").append(stack[i]).append('\n');
        if (shown < stack.length)
            text.append("\t... ").append(stack.length - shown).append(" more\n");
    }

    /// How many frames there are down to the first one of the user's, with it.
    private static int toUsers(StackTraceElement[] stack) {
        for (int i = 0; i < stack.length; i++) if (UserLine.isUsers(stack[i].getClassName())) return i + 1;
        return 0;
    }
}
