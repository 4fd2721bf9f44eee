package mpi;

import java.util.ArrayDeque;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Request;

/// Sends that have been started and not completed here. A program may drop their requests, as the original lets it; the
/// memory of such a message is given back after the message has been sent, when this rank starts others.
final class MpjSends {
    /// Up to this number of sends is left alone: programs usually wait for them.
    private static final int MOST_PENDING = 16;

    /// The number of the oldest sends that each new one tests.
    private static final int TESTS = 2;

    /// Those of each thread: a request is tested and awaited by one thread at a time.
    private static final ThreadLocal<ArrayDeque<Request>> PENDING = ThreadLocal.withInitial(ArrayDeque::new);

    private MpjSends() {}

    /// Registers a send that has been started, and completes older ones that have ended.
    static Request started(Request send) {
        ArrayDeque<Request> pending = PENDING.get();
        pending.add(send);
        for (int i = 0; i < TESTS && pending.size() > MOST_PENDING; i++) {
            Request oldest = pending.remove();
            if (!hasEnded(oldest)) pending.add(oldest);
        }
        return send;
    }

    private static boolean hasEnded(Request send) {
        try {
            return send.test();
        } catch (MpiException failed) {
            return true; // reported to the program if it waits for the request
        }
    }
}
