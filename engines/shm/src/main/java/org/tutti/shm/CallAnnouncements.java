package org.tutti.shm;

import org.tutti.shm.match.ShmTransfer;
import org.tutti.shm.progress.Progress;
import org.tutti.shm.progress.ShmCollective;
import org.tutti.shm.segment.Bells;
import org.tutti.spi.Activity;
import org.tutti.spi.Fault;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// Messages by which a rank that waits in a collective call says what it has called.
final class CallAnnouncements {
    /// A collective call that has slept so often gives notice of itself.
    private static final int SLEEPS = 5;

    private final Progress progress;
    private final Bells bells;
    private final ShmTransfer notice = new ShmTransfer();

    /// Has the words of the call that the notice is of.
    private final ShmCollective call;

    CallAnnouncements(Progress progress, Bells bells, ShmCollective call) {
        this.progress = progress;
        this.bells = bells;
        this.call = call;
    }

    /// After half a second and after two; no more, because messages that go to and fro would look like
    /// progress.
    static boolean isTime(int sleeps) {
        return sleeps == SLEEPS || sleeps == 4 * SLEEPS;
    }

    /// Tells the rank that a collective call has waited for what that call is. Where ranks call different
    /// things and each waits for the other, a gather here and a scatter there, nothing else would ever be
    /// sent by which they could see it.
    void give(Activity activity) {
        if (!(activity instanceof ShmCollective waiting)) return;
        progress.lock().lock();
        try {
            Transfer t = waiting.waitingFor();
            if (t == null || !notice.isDone()) return;
            ShmPort port = (ShmPort) waiting.port();
            call.describeAs(waiting);
            notice.fill(waiting.operation, port, Transfer.Kind.SEND, t.peer, Progress.NOTICE_TAG, ElementType.BYTE);
            notice.within(Transfer.Lane.COLLECTIVE, t.peer, call);
            notice.context = port.context(Transfer.Lane.COLLECTIVE);
            notice.at(Memory.NONE, 0, 0);
            notice.begin();
            int receiver = port.process(t.peer);
            if (progress.send(notice, receiver)) bells.ring(receiver);
        } catch (Fault noMemory) {
            // for its ring; the call does without
            notice.complete();
        } finally {
            progress.lock().unlock();
        }
    }
}
