package org.tutti.futures;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Converts exceptions to strings and back. See [Wire].
final class TaskFailures {
    private static final int MOST_FRAMES = 64, MOST_CAUSES = 8, MOST_CHARS = 8192;
    private static final int FRAME_STRINGS = 3;

    private TaskFailures() {}

    /// Returns the `failure` (see [Wire]) that a worker sends for a task that did not complete normally.
    static Object[] row(int position, int reason, String text, @Nullable Throwable why) {
        List<Object> causes = new ArrayList<>();
        for (Throwable t = why; t != null && causes.size() < MOST_CAUSES; t = t.getCause()) causes.add(cause(t));
        return new Object[] {position, reason, shortened(text), causes.toArray()};
    }

    private static Object[] cause(Throwable t) {
        StackTraceElement[] stack = t.getStackTrace();
        int count = 0;
        while (count < Math.min(stack.length, MOST_FRAMES) && !isOfPool(stack[count])) count++;
        String[] frames = new String[FRAME_STRINGS * count];
        int[] lines = new int[count];
        for (int i = 0; i < count; i++) {
            frames[FRAME_STRINGS * i] = stack[i].getClassName();
            frames[FRAME_STRINGS * i + 1] = stack[i].getMethodName();
            frames[FRAME_STRINGS * i + 2] = String.valueOf(stack[i].getFileName());
            lines[i] = stack[i].getLineNumber();
        }
        return new Object[] {t.getClass().getName(), text(t), frames, lines};
    }

    private static boolean isOfPool(StackTraceElement frame) {
        return frame.getClassName().equals(Worker.class.getName());
    }

    private static String text(Throwable t) {
        try {
            return shortened(String.valueOf(t.getMessage()));
        } catch (RuntimeException e) {
            return "";
        }
    }

    private static String shortened(String text) {
        return text.length() <= MOST_CHARS ? text : text.substring(0, MOST_CHARS) + "…";
    }

    /// Returns the exception for the caller that submitted the task.
    ///
    /// @param worker `rank 3 of 5`
    static RuntimeException exception(TaskBatch batch, Object[] row, int rank, String worker) {
        int reason = (Integer) row[1];
        String reported = (String) row[2];
        long task = batch.first + (Integer) row[0];
        if (reason == Wire.FAILED && !reported.isEmpty())
            task = Long.parseLong(reported); // in a reduction, the text is the failed element's number
        String where = " (task " + task + " of " + batch.job.name() + ", " + worker + ")";
        if (reason == Wire.TIMEOUT) return new TaskTimeoutException(reported + where, rank);
        if (reason == Wire.REFUSED) return new TaskRefusedException(reported + where);
        Object[] causes = (Object[]) row[3];
        TaskFailedException cause = null;
        for (int i = causes.length - 1; i >= 0; i--) {
            Object[] words = (Object[]) causes[i];
            String type = (String) words[0], text = (String) words[1];
            String simple = type.substring(type.lastIndexOf('.') + 1);
            String line = text.equals("null") ? simple : simple + ": " + text;
            TaskFailedException outer = new TaskFailedException(i == 0 ? line + where : line, type, rank, task, cause);
            outer.setStackTrace(stack(words, rank, i == 0 ? batch.job.maker() : null));
            cause = outer;
        }
        return cause == null ? new TaskFailedException(reported + where, "", rank, task, null) : cause;
    }

    private static StackTraceElement[] stack(Object[] cause, int rank, @Nullable StackTraceElement maker) {
        String[] frames = (String[]) cause[2];
        int[] lines = (int[]) cause[3];
        StackTraceElement[] stack = new StackTraceElement[lines.length + (maker == null ? 0 : 1)];
        String from = "rank " + rank;
        for (int i = 0; i < lines.length; i++) {
            String type = frames[FRAME_STRINGS * i],
                    method = frames[FRAME_STRINGS * i + 1],
                    file = frames[FRAME_STRINGS * i + 2];
            stack[i] = new StackTraceElement(from, null, null, type, method, file, lines[i]);
        }
        if (maker != null) {
            stack[lines.length] = new StackTraceElement(
                    "task made",
                    null,
                    null,
                    maker.getClassName(),
                    maker.getMethodName(),
                    maker.getFileName(),
                    maker.getLineNumber());
        }
        return stack;
    }
}
