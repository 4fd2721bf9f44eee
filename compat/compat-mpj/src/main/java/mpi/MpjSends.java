package mpi;

import java.util.ArrayDeque;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Request;

/// Sends that have started and are not complete. A program may discard the requests without waiting for them,
/// as in the original. The memory of such a message is released after the message has been sent, when the same
/// thread starts further sends.
final class MpjSends {
    /// Up to this number of pending sends, none is tested, because a program with so few pending sends usually
    /// waits for them.
    private static final int MOST_PENDING = 16;

    /// How many of the oldest pending sends are tested by each new send.
    private static final int TESTS = 2;

    /// Pending sends of each thread; a request must be tested and awaited by one thread at a time.
    private static final ThreadLocal<ArrayDeque<Request>> PENDING = ThreadLocal.withInitial(ArrayDeque::new);

    private MpjSends() {}

    /// Registers a started send, and tests the oldest ones if many are pending.
    static Request started(Request send) {
        ArrayDeque<Request> pending = PENDING.get();
        pending.add(send);
        for (int i = 0; i < TESTS && pending.size() > MOST_PENDING; i++) {
            Request oldest = pending.remove();
            if (!isComplete(oldest)) pending.add(oldest);
        }
        return send;
    }

    private static boolean isComplete(Request send) {
        try {
            return send.test();
        } catch (MpiException failed) {
            return true; // reported to the program if it waits for the request
        }
    }
}
