package org.tutti.shm.progress;

import org.tutti.shm.channel.RecordDescriptor;
import org.tutti.shm.match.ShmTransfer;
import org.tutti.spi.Transfer;

/// The short path of a send: a message of one line is written to the ring immediately if no message of this
/// rank waits for space. Such a message bypasses the [Outbox], which only counts the bytes.
public final class EagerSend {
    /// The size of the payload of one line, in bytes. For longer messages the overhead of the general path is
    /// small.
    private static final int LONGEST = RecordDescriptor.LINE - RecordDescriptor.PAYLOAD;

    private final Progress progress;

    public EagerSend(Progress progress) {
        this.progress = progress;
    }

    /// Returns whether [#write] can send the message. Needs no lock.
    public static boolean suits(ShmTransfer t) {
        return t.lengthBytes <= LONGEST
                && t.lane == Transfer.Lane.USER
                && t.layout == null
                && !t.synchronous
                && t.tail.isEmpty()
                && t.failure() == null
                && !t.type.isMixed();
    }

    /// Writes the message to the ring of `receiver`. Returns false without effect if this is not possible now.
    /// Needs the lock.
    ///
    /// @param context the context of the message
    /// @param source the sender's rank
    public boolean write(ShmTransfer t, int receiver, long context, int source) {
        Progress p = progress;
        if (p.waitingOutboxes > 0 || receiver >= p.outboxes.length) return false;
        Outbox box = p.outboxes[receiver];
        return box != null && box.writeLine(t, context, source);
    }
}
