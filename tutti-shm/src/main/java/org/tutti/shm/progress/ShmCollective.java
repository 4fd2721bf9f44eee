package org.tutti.shm.progress;

import org.jspecify.annotations.Nullable;
import org.tutti.coll.ScheduleRunner;
import org.tutti.mpi.spi.Collective;
import org.tutti.mpi.spi.Engine;
import org.tutti.mpi.spi.Transfer;
import org.tutti.shm.match.MatchContext;

/// A collective call: its schedule goes on whenever this rank makes progress.
public final class ShmCollective extends Collective {
    private final ScheduleRunner runner;

    /// The next in the list of active ones.
    @Nullable
    ShmCollective next;

    /// What its messages carry; see [CallWords].
    long wordA;

    long wordB;
    long wordC;

    /// Where its messages are matched.
    @Nullable
    MatchContext context;

    public ShmCollective(Engine engine) {
        runner = new ScheduleRunner(engine);
    }

    /// Starts its first messages, which travel in `context`.
    void beginSchedule(long number, MatchContext in) {
        sequence = number;
        context = in;
        wordA = CallWords.a(this);
        wordB = CallWords.b(this);
        wordC = CallWords.c(this);
        runner.begin(this);
    }

    /// From now on its messages say that they are of `other`, which may end meanwhile.
    public void describeAs(ShmCollective other) {
        wordA = other.wordA;
        wordB = other.wordB;
        wordC = other.wordC;
    }

    /// A message that it waits for; null when there is none. Under the lock.
    public @Nullable Transfer waitingFor() {
        return runner.waitingFor();
    }

    /// Goes on; true when it has ended. It is not said to be done yet: see [#settle].
    boolean advance() {
        return runner.advance();
    }

    /// Says that it is done. `problem` is what was found wrong with it otherwise.
    void settle(@Nullable Throwable problem) {
        Throwable why = runner.failure() == null ? problem : runner.failure();
        if (why == null) complete();
        else fail(why);
    }
}
