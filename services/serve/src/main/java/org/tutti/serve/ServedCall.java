package org.tutti.serve;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;
import org.tutti.futures.CurrentTask;
import org.tutti.futures.RankFunction;
import org.tutti.serve.job.JobRunner;
import org.tutti.serve.json.JsonValues;

/// What a worker does with a served function: the result becomes JSON there, so that one that is too large
/// goes nowhere, and the rank with the clients has little to do.
final class ServedCall {
    private ServedCall() {}

    /// A result that is larger than the service takes.
    static final class ResultTooLarge extends RuntimeException {
        private static final long serialVersionUID = 1;

        ResultTooLarge(long limit) {
            super("the result is larger than " + limit + " bytes as JSON; return less, or write it to a file");
        }
    }

    /// The call site that travels, with the program's function in it.
    @SuppressWarnings("unchecked") // the argument was read as what the function takes
    static <T, R extends @Nullable Object> RankFunction<@Nullable Object, byte[]> of(
            RankFunction<T, R> function, long limit) {
        RankFunction<Object, Object> own = (RankFunction<Object, Object>) (RankFunction<?, ?>) function;
        return argument -> call(own, limit, argument);
    }

    @SuppressWarnings("NullAway") // of a function of Void
    private static byte[] call(RankFunction<Object, Object> function, long limit, @Nullable Object argument)
            throws Exception {
        CurrentTask.report(String.valueOf(JobRunner.BEGUN));
        JobOutput.enter();
        Object result;
        try {
            result = function.apply(argument);
        } finally {
            JobOutput.leave();
        }
        Bounded out = new Bounded(limit);
        JsonValues.write(result, out);
        return out.bytes.toByteArray();
    }

    /// Takes so many bytes.
    private static final class Bounded extends OutputStream {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final long limit;

        Bounded(long limit) {
            this.limit = limit;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] from, int at, int count) throws IOException {
            if (bytes.size() + (long) count > limit) throw new ResultTooLarge(limit);
            bytes.write(from, at, count);
        }
    }
}
