package org.tutti.libmpi;

import static org.tutti.libmpi.raw.PointToPointFunctions.MPI_Test;

import java.util.ArrayDeque;

/// Small messages that a rank sends to itself before it posts the receive.
///
/// Libraries need not buffer such messages: in `MPI_Send`, MPICH 4.0 waits for the receive regardless of the
/// length, and Open MPI 4.1 does so if the message has 1000 bytes or more. Therefore this class sends copies,
/// and tests pending sends when the rank sends the next such message.
final class SelfSends {
    private record Sent(long request, Staging.Block block) {}

    private final Staging staging;
    private final TypedTransfers messages;
    private final ObjectTransfers objects;
    private final ArrayDeque<Sent> pending = new ArrayDeque<>();

    SelfSends(Staging staging, TypedTransfers messages, ObjectTransfers objects) {
        this.staging = staging;
        this.messages = messages;
        this.objects = objects;
    }

    /// Sends the message. The send is complete on return, whether or not the message has been received.
    synchronized void send(NativeTransfer t, NativeScratch s) {
        for (int n = pending.size(); n > 0; n--) {
            Sent sent = pending.removeFirst();
            if (!isComplete(sent, s)) pending.addLast(sent);
        }
        t.begin();
        if (t.isObject()) {
            objects.startSend(t, s);
        } else {
            messages.startCopied(t, s);
        }
        Staging.Block block = t.block;
        if (block == null) throw new IllegalStateException("message to the same rank was not copied");
        Sent sent = new Sent(t.request, block);
        t.hasRequest = false;
        t.block = null;
        if (!isComplete(sent, s)) pending.addLast(sent);
        t.complete();
    }

    private boolean isComplete(Sent sent, NativeScratch s) {
        s.request(sent.request);
        if (MPI_Test(s.request, s.flag, s.status) == 0 && !s.flag()) return false;
        staging.give(sent.block);
        return true;
    }
}
