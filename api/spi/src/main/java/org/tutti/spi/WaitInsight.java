package org.tutti.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What an engine knows of the waits of this rank beyond what their callers see: who could end them, and that
/// a thread has looked and found nothing.
public interface WaitInsight extends Power {
    /// Calls `report` while nothing of this rank moves, unless somebody moves something for long; the other
    /// methods are asked in there.
    void whileStill(Runnable report);

    /// How often the rank has moved something.
    long moves();

    /// How often the thread has looked for everything, since its wait has lasted for a second, and found nothing;
    /// 0 when it is in no such wait.
    long looks(Thread thread);

    /// The message that a collective call cannot go on without; null when it cannot be told.
    @Nullable
    Transfer waitingFor(Collective call);

    /// The collective calls that have begun and are not done.
    List<Collective> underWay();

    /// Why a send waits, as the end of a sentence; empty when there is no more to say than that it does.
    String reason(Transfer send);
}
