package org.tutti.mpi.bootstrap;

/// A failure as the board keeps it: the exception, the top of its stack, its causes.
final class LastWords {
    private LastWords() {}

    private static final int FRAMES = 12;
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
        return text.toString();
    }

    private static void append(StringBuilder text, Throwable failure, int frames) {
        text.append(failure).append('\n');
        StackTraceElement[] stack = failure.getStackTrace();
        int shown = Math.min(frames, stack.length);
        for (int i = 0; i < shown; i++) text.append("\tat ").append(stack[i]).append('\n');
        if (shown < stack.length)
            text.append("\t... ").append(stack.length - shown).append(" more\n");
    }
}
