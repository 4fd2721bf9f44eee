package org.tutti.serve.job;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.tutti.futures.TaskFailedException;
import org.tutti.futures.TaskTimeoutException;

/// The reason why a job has no result.
///
/// @param type the class of the exception
/// @param rank the rank that threw the exception; empty if unknown
public record JobError(String type, String message, Optional<Integer> rank, List<String> stack) {
    private static final int MOST_FRAMES = 50;

    /// Maximum sizes of the texts of an error, in bytes of the JSON form. Lines and events contain errors, and
    /// the readers of lines and events accept only a limited size.
    private static final int MOST_MESSAGE = 1 << 16, MOST_NAME = 1000;

    private static final int ESCAPE_BYTES = 6;
    private static final String ELLIPSIS = "…";

    /// Does not truncate the texts: an error that was read from a line must equal the error that was written,
    /// because the checksum of the line covers it.
    public JobError {
        stack = List.copyOf(stack);
    }

    private static JobError limited(String type, String message, Optional<Integer> rank, List<String> stack) {
        List<String> frames = stack.stream()
                .limit(MOST_FRAMES)
                .map(frame -> shortened(frame, MOST_NAME))
                .toList();
        return new JobError(shortened(type, MOST_NAME), shortened(message, MOST_MESSAGE), rank, frames);
    }

    private static String shortened(String text, int mostBytes) {
        int bytes = 0, end = 0;
        for (int i = 0; i < text.length(); i++) {
            bytes += jsonBytes(text.charAt(i));
            if (bytes <= mostBytes - ESCAPE_BYTES) end = i + 1; // the ellipsis fits after it
            if (bytes <= mostBytes) continue;
            if (end > 0 && Character.isHighSurrogate(text.charAt(end - 1))) end--;
            return text.substring(0, end) + ELLIPSIS;
        }
        return text;
    }

    private static int jsonBytes(char c) {
        if (c < ' ' || Character.isSurrogate(c)) return ESCAPE_BYTES;
        if (c == '"' || c == '\\') return 2;
        return c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
    }

    /// The text with which the last part of a pool's error message begins. This part contains the number of the
    /// task, and the line that submitted the task. It is removed, because that line is always in this module.
    private static final String TASK = " (task ";

    /// The class loader name that marks, in the stack of a pool's exception, the frame that submitted the task.
    private static final String MADE = "task made";

    public static JobError of(String type, String message) {
        return limited(type, message, Optional.empty(), List.of());
    }

    /// Converts the exception of a task's future.
    static JobError of(Throwable why) {
        String whole = String.valueOf(why.getMessage());
        int task = whole.lastIndexOf(TASK);
        String text = task < 0 ? whole : whole.substring(0, task);
        return switch (why) {
            case TaskFailedException f -> {
                List<String> stack = Arrays.stream(f.getStackTrace())
                        .filter(frame -> !MADE.equals(frame.getClassLoaderName()))
                        .map(StackTraceElement::toString)
                        .toList();
                yield limited(f.remoteClassName(), text, Optional.of(f.rank()), stack);
            }
            case TaskTimeoutException t -> limited("TaskTimeoutException", text, Optional.of(t.rank()), List.of());
            default -> of(why.getClass().getSimpleName(), text);
        };
    }
}
