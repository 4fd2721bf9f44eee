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

/// Notices of collective calls: a rank that waits in a collective call sends a description of this call to the
/// awaited rank.
final class CallAnnouncements {
    /// Number of sleeps in a collective call after which the rank sends the first notice.
    private static final int SLEEPS = 5;

    private final Progress progress;
    private final Bells bells;
    private final ShmTransfer notice = new ShmTransfer();

    /// The call of the notice. This call is not executed, and has the signature of the announced call.
    private final ShmCollective call;

    CallAnnouncements(Progress progress, Bells bells, ShmCollective call) {
        this.progress = progress;
        this.bells = bells;
        this.call = call;
    }

    /// Returns whether to send a notice: after half a second and after two seconds. There are no further
    /// notices, because they would count as progress of the job.
    static boolean isTime(int sleeps) {
        return sleeps == SLEEPS || sleeps == 4 * SLEEPS;
    }

    /// Sends a notice to the rank that a collective call waits for. If ranks make different calls and wait for
    /// each other, for example in a gather and a scatter, no other message would reveal the difference.
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
            // there is no memory for the ring: continue without a notice
            notice.complete();
        } finally {
            progress.lock().unlock();
        }
    }
}
