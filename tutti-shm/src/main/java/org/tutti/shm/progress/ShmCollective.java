package org.tutti.shm.progress;

import org.jspecify.annotations.Nullable;
import org.tutti.coll.ScheduleRunner;
import org.tutti.mpi.spi.Collective;
import org.tutti.mpi.spi.Engine;

/// A collective call: its schedule goes on whenever this rank makes progress.
public final class ShmCollective extends Collective {
    private final ScheduleRunner runner;

    /// The next in the list of active ones.
    @Nullable ShmCollective next;

    /// What its messages carry; see [CallWords].
    long wordA;

    long wordB;
    long wordC;

    public ShmCollective(Engine engine) {
        runner = new ScheduleRunner(engine);
    }

    /// Starts its first messages.
    void beginSchedule(long number) {
        sequence = number;
        wordA = CallWords.a(this);
        wordB = CallWords.b(this);
        wordC = CallWords.c(this);
        runner.begin(this);
    }

    /// Goes on; true when it has ended and said so.
    boolean advance() {
        if (!runner.advance()) return false;
        Throwable why = runner.failure();
        if (why == null) complete();
        else fail(why);
        return true;
    }
}
