package org.tutti.shm;

import java.util.function.BooleanSupplier;
import org.tutti.shm.progress.JobFailure;
import org.tutti.shm.progress.LongWaits;
import org.tutti.spi.LocalWait;
import org.tutti.spi.Naps;

/// How a thread waits for other threads of its rank: it moves messages between its naps.
final class LocalWaiting {
    private final BooleanSupplier move;
    private final JobFailure failure;
    private final LongWaits longWaits;

    /// @param move makes progress once; whether anything moved
    LocalWaiting(BooleanSupplier move, JobFailure failure, LongWaits longWaits) {
        this.move = move;
        this.failure = failure;
        this.longWaits = longWaits;
    }

    void await(LocalWait wait) {
        Naps naps = new Naps();
        long since = 0;
        try {
            while (!wait.isOver()) {
                if (move.getAsBoolean()) continue;
                failure.check();
                since = longWaits.still(since, wait);
                naps.nap();
            }
        } finally {
            if (since != 0) longWaits.over();
            naps.over();
        }
    }
}
