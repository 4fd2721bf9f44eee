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

    public static JobError of(String type, String message) {
        return new JobError(type, message, Optional.empty(), List.of());
    }

    /// Of what a task's future says.
    static JobError of(Throwable why) {
        String text = String.valueOf(why.getMessage());
        return switch (why) {
            case TaskFailure f -> {
                List<String> stack = Arrays.stream(f.getStackTrace())
                        .limit(MOST_FRAMES)
                        .map(StackTraceElement::toString)
                        .toList();
                yield new JobError(f.remoteClass(), text, Optional.of(f.rank()), stack);
            }
            case TaskTimeout t -> new JobError("TaskTimeout", text, Optional.of(t.rank()), List.of());
            default -> of(why.getClass().getSimpleName(), text);
        };
    }
}
