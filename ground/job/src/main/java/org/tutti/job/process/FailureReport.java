package org.tutti.job.process;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A failure in the job status: the exception, the top of the stack, normally down to at least the user's line,
/// and the causes.
final class FailureReport {
    private FailureReport() {}

    private static final String SUPPRESSED = "Suppressed: org.tutti.";
    private static final Pattern OF_CLOSE = Pattern.compile("\\bat [\\w.$/@-]*org\\.tutti\\.[\\w.$]+\\.close\\(");
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

    /// Returns the stack trace, without the suppressed exceptions of Tutti that `close` has thrown as a
    /// consequence of `failure`.
    static String trace(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return withoutCloses(text.toString());
    }

    static String withoutCloses(String trace) {
        if (!trace.contains(SUPPRESSED)) return trace;
        StringBuilder kept = new StringBuilder(), block = new StringBuilder();
        int tabs = -1; // the tabs before the block's first line; -1 outside of a block
        for (String line : trace.split("(?<=\n)")) {
            String text = line.stripLeading();
            int depth = line.indexOf(text);
            boolean isOfTrace = text.startsWith("at ")
                    || text.startsWith("... ")
                    || text.startsWith("Caused by: ")
                    || text.startsWith("Suppressed: ");
            if (tabs >= 0 && isOfTrace && depth <= tabs) {
                if (!isOfClose(block)) kept.append(block);
                block.setLength(0);
                tabs = -1;
            }
            if (tabs < 0 && text.startsWith(SUPPRESSED)) tabs = depth;
            (tabs < 0 ? kept : block).append(line);
        }
        if (!isOfClose(block)) kept.append(block);
        return kept.toString();
    }

    private static boolean isOfClose(CharSequence block) {
        return OF_CLOSE.matcher(block).find();
    }

    /// Returns a report of one line for a rank that fails after a different rank; null if the failure is
    /// independent and needs the complete trace.
    ///
    /// @param first the report of the rank that has failed first; `rank` is the number of that rank
    static @Nullable String following(Throwable failure, String first, int rank) {
        String frame = usersFrame(failure.getStackTrace());
        boolean isSame = frame != null
                && first.startsWith(failure.getClass().getName())
                && first.contains("\n\tat " + frame + "\n");
        boolean isTuttis = failure.getClass().getName().startsWith("org.tutti.");
        if (!isSame && !isTuttis) return null;
        String text = failure.toString().strip().replace('\n', ' ');
        return text
                + (frame == null ? "" : " at " + frame)
                + "; rank " + rank + (isSame ? " failed there first" : " failed first");
    }

    private static @Nullable String usersFrame(StackTraceElement[] stack) {
        int end = toUsers(stack);
        return end == 0 ? null : stack[end - 1].toString();
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

    /// Returns the number of frames from the top of the stack to the first frame of the user, inclusive.
    private static int toUsers(StackTraceElement[] stack) {
        for (int i = 0; i < stack.length; i++) if (UserLine.isUsers(stack[i].getClassName())) return i + 1;
        return 0;
    }
}
