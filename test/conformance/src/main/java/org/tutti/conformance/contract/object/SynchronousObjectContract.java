package org.tutti.conformance.contract.object;

import java.util.List;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Request;

/// Objects sent in synchronous mode: a send completes only after a receive has started.
public final class SynchronousObjectContract {
    private SynchronousObjectContract() {}

    @Contract(minRanks = 2)
    public static void completeOnlyWhenReceived(Trial t) {
        Comm w = t.world();
        if (t.rank() == 0) {
            for (Object value : new Object[] {"small", List.of(new int[100_000])}) {
                Request r = w.issendObject(value, 1, 3);
                for (int i = 0; i < 200; i++) Check.that(!r.test(), "complete before anybody received it");
                w.sendObject("now", 1, 4);
                r.await();
            }
            w.ssendObject("last", 1, 5);
        } else if (t.rank() == 1) {
            for (int i = 0; i < 2; i++) {
                Check.same("now", w.recvObject(String.class, 0, 4), "signal");
                Check.that(w.recvObject(Object.class, 0, 3) != null, "no object received");
            }
            Check.same("last", w.recvObject(String.class, 0, 5), "last");
        }
    }
}
