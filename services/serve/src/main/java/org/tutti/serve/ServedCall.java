package org.tutti.serve;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;
import org.tutti.futures.CurrentTask;
import org.tutti.futures.RankFunction;
import org.tutti.serve.job.JobRunner;
import org.tutti.serve.json.JsonValues;

/// Runs a served function on a worker. The result is converted to JSON there, so that an oversized result is
/// not sent and the rank that serves the clients has little work.
final class ServedCall {
    private ServedCall() {}

    /// The result is larger than the limit of the service.
    static final class ResultTooLarge extends RuntimeException {
        private static final long serialVersionUID = 1;

        ResultTooLarge(long limit) {
            super("the result is larger than " + limit + " bytes as JSON; return less, or write it to a file");
        }
    }

    /// Returns the function to send to a worker; it captures the program's function.
    @SuppressWarnings("unchecked") // the argument was read as the function's parameter type
    static <T, R extends @Nullable Object> RankFunction<@Nullable Object, byte[]> of(
            RankFunction<T, R> function, long limit) {
        RankFunction<Object, Object> own = (RankFunction<Object, Object>) (RankFunction<?, ?>) function;
        return argument -> call(own, limit, argument);
    }

    @SuppressWarnings("NullAway") // for a function with an argument of type Void
    private static byte[] call(RankFunction<Object, Object> function, long limit, @Nullable Object argument)
            throws Exception {
        CurrentTask.report(String.valueOf(JobRunner.STARTED));
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

    /// Accepts a limited number of bytes.
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
