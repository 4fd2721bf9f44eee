package org.tutti.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Information about the waits of this rank that is not visible to callers: which ranks could end a wait, and
/// whether a thread has polled without success.
public interface WaitInsight extends Power {
    /// Calls `report` while no data of this rank can move. Does not call it if the rank moves data for a long
    /// time without a pause. The other methods must be called from within `report`.
    void whileStill(Runnable report);

    /// Returns the number of times that data of the rank has moved.
    long moves();

    /// Returns the number of complete, unsuccessful polls of the thread, counted from the time at which the
    /// current wait had lasted for one second; 0 if the thread has not waited for a second.
    long polls(Thread thread);

    /// Returns the message without which a collective call cannot continue; null if it is not known.
    @Nullable
    Transfer waitingFor(Collective call);

    /// Returns the collective calls in progress.
    List<Collective> underWay();

    /// Returns the reason why a send waits, as the end of a sentence; the string may be empty.
    String reason(Transfer send);
}
