package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.Activity;
import org.tutti.spi.Transfer;

/// The request of a send and a receive. It is complete when the two transfers are complete, and has the status
/// of the receive.
final class ExchangeRequest extends Request {
    private final @Nullable Transfer send;
    private final @Nullable Transfer receive;
    private final Buf in;
    private @Nullable Throwable sendFailure;

    /// Creates the request of transfers that have been started. At least one of `send` and `receive` is not
    /// null.
    ExchangeRequest(Mpi mpi, Buf out, Buf in, @Nullable Transfer send, @Nullable Transfer receive) {
        super(mpi, out, receive == null ? Buf.NONE : in);
        this.send = send;
        this.receive = receive;
        this.in = in;
        Transfer first = send == null ? receive : send;
        if (first == null) throw new IllegalArgumentException("an exchange without a send and a receive");
        begin(first);
    }

    @Override
    boolean isLast() {
        return false;
    }

    @Override
    @Nullable
    Activity after(Activity done) {
        if (done == receive || receive == null) return null;
        sendFailure = done.failure();
        return receive;
    }

    @Override
    boolean isUnfinished(EngineCalls engine) {
        boolean both = !super.isUnfinished(engine);
        return !both || receive != null && !engine.test(receive);
    }

    @Override
    boolean isPending() {
        return super.isPending() || receive != null && !isOver() && !receive.isDone();
    }

    @Override
    Status statusOf(Transfer t) {
        return t == receive ? super.statusOf(t) : Status.ofNullProcess();
    }

    @Override
    void release(Activity a) {
        super.release(a);
        // the send is released together with the receive, because errors name the send until the two transfers
        // are done
        if (a == receive && send != null) super.release(send);
        if (sendFailure != null) fail(MpiException.seenByCaller(sendFailure));
    }

    /// Has no effect, because the message may already have been received.
    @Override
    void cancelNow() {}

    @Override
    public String toString() {
        if (isOver()) return super.toString();
        return (send == null ? "" : send.operation + "(" + shown() + to(send))
                + (send == null || receive == null ? "" : "; ")
                + (receive == null ? "" : (send == null ? receive.operation + "(" : "") + in + from(receive)) + ")";
    }
}
