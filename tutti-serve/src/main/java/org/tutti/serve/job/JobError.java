package org.tutti.serve.job;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.tutti.futures.TaskFailure;
import org.tutti.futures.TaskTimeout;

/// Why a job has no result.
///
/// @param type the class of what was thrown
/// @param rank where; none when that is not known
public record JobError(String type, String message, Optional<Integer> rank, List<String> stack) {
    private static final int MOST_FRAMES = 50;

    /// Maximum lengths in characters: an error is part of a line, and the reader of lines has a limit.
    private static final int MOST_MESSAGE = 1 << 16, MOST_NAME = 1000;

    public JobError {
        type = shortened(type, MOST_NAME);
        message = shortened(message, MOST_MESSAGE);
        stack = stack.stream()
                .limit(MOST_FRAMES)
                .map(frame -> shortened(frame, MOST_NAME))
                .toList();
    }

    private static String shortened(String text, int most) {
        if (text.length() <= most) return text;
        int end = most - 1;
        if (Character.isHighSurrogate(text.charAt(end - 1))) end--;
        return text.substring(0, end) + "…";
    }

    /// Where a pool's text says which of its tasks it was, and where the program gave it: here, always.
    private static final String TASK = " (task ";

    /// What a pool calls the frame of that place.
    private static final String MADE = "task made";

    public static JobError of(String type, String message) {
        return new JobError(type, message, Optional.empty(), List.of());
    }

    /// Of what a task's future says.
    static JobError of(Throwable why) {
        String whole = String.valueOf(why.getMessage());
        int task = whole.lastIndexOf(TASK);
        String text = task < 0 ? whole : whole.substring(0, task);
        return switch (why) {
            case TaskFailure f -> {
                List<String> stack = Arrays.stream(f.getStackTrace())
                        .filter(frame -> !MADE.equals(frame.getClassLoaderName()))
                        .map(StackTraceElement::toString)
                        .toList();
                yield new JobError(f.remoteClass(), text, Optional.of(f.rank()), stack);
            }
            case TaskTimeout t -> new JobError("TaskTimeout", text, Optional.of(t.rank()), List.of());
            default -> of(why.getClass().getSimpleName(), text);
        };
    }
}
