package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.spi.Engine;
import org.tutti.mpi.spi.Memory;
import org.tutti.mpi.spi.Transfer;

/// A nonblocking operation under way. Its buffer belongs to the engine until [#await] returned or [#test] said
/// true; the request keeps it alive. MPI 4.1, section 3.7.
///
/// Progress is made inside Tutti's calls: a program that computes for long between start and wait gives the
/// engine a chance by calling [#test] now and then.
public final class Request {
    private final Mpi mpi;
    private final Buf buf;
    private @Nullable Transfer transfer;
    private @Nullable Status status;
    private @Nullable RuntimeException failure;

    // the list of pending requests of this Mpi, for close
    @Nullable
    Request previous;

    @Nullable
    Request next;

    Request(Mpi mpi, Buf buf, Transfer transfer) {
        this.mpi = mpi;
        this.buf = buf;
        this.transfer = transfer;
        mpi.pending().add(this);
    }

    /// An operation that had nothing to do.
    Request(Mpi mpi, Buf buf, Status status) {
        this.mpi = mpi;
        this.buf = buf;
        this.status = status;
    }

    /// Waits until it is complete. May be called again; a failure is then thrown again.
    public Status await() {
        Transfer t = transfer;
        if (t != null) {
            mpi.engine(t.operation).await(t);
            finish(t);
        }
        return result();
    }

    /// True when it is complete; makes progress, never waits.
    public boolean test() {
        Transfer t = transfer;
        if (t != null) {
            if (!mpi.engine(t.operation).test(t)) return false;
            finish(t);
        }
        result();
        return true;
    }

    /// Whether it is known to be complete; looks nowhere.
    boolean isFinished() {
        return transfer == null;
    }

    /// Withdraws a receive that no message has matched yet; it is complete then, and its status says so. A request
    /// that
    /// has matched, or is a send, goes on and must be waited for. MPI 4.1, section 3.8.4.
    public void cancel() {
        Transfer t = transfer;
        if (t == null || t.kind == Transfer.Kind.SEND) return;
        mpi.engine(t.operation).cancel(t);
    }

    private Status result() {
        RuntimeException f = failure;
        if (f != null) throw f;
        Status s = status;
        if (s == null) throw new IllegalStateException("request without a result");
        return s;
    }

    private void finish(Transfer t) {
        Memory used = t.memory;
        transfer = null;
        mpi.pending().remove(this);
        Throwable why = t.failure();
        if (why != null) {
            failure = Mpi.asRuntime(why);
        } else {
            if (t.kind != Transfer.Kind.SEND && !t.cancelled) buf.fromMemory(used);
            status = t.kind == Transfer.Kind.SEND
                    ? Status.nobody()
                    : mpi.scratch().status(t);
        }
        mpi.scratch().giveBack(t);
    }

    @Override
    public String toString() {
        Transfer t = transfer;
        if (t == null) return failure == null ? "complete" : "failed";
        boolean send = t.kind == Transfer.Kind.SEND;
        String peer = t.peer == Transfer.ANY_SOURCE ? "ANY_SOURCE" : String.valueOf(t.peer);
        String tag = !send && t.tag == Transfer.ANY_TAG ? "ANY_TAG" : String.valueOf(t.tag);
        return t.operation + "(" + buf + (send ? ", dest=" : ", source=") + peer + ", tag=" + tag + ")";
    }

    /// The pending requests of an [Mpi], so that close can name them. A list through the requests themselves:
    /// adding one to it makes nothing.
    static final class Pending {
        private @Nullable Request head;
        private int count;

        synchronized void add(Request r) {
            r.next = head;
            if (head != null) head.previous = r;
            head = r;
            count++;
        }

        synchronized void remove(Request r) {
            Request before = r.previous;
            Request after = r.next;
            if (before == null) head = after;
            else before.next = after;
            if (after != null) after.previous = before;
            r.previous = null;
            r.next = null;
            count--;
        }

        /// Those that really are pending: a send may be complete without anybody having asked.
        synchronized String describeUnfinished(Engine engine, int most) {
            StringBuilder text = new StringBuilder();
            int unfinished = 0;
            for (Request r = head; r != null; r = r.next) {
                Transfer t = r.transfer;
                if (t == null || engine.test(t)) continue;
                unfinished++;
                if (unfinished <= most) text.append(unfinished == 1 ? "" : ", ").append(r);
            }
            if (unfinished == 0) return "";
            return (unfinished == 1 ? "1 request is pending: " : unfinished + " requests are pending: ")
                    + text
                    + (unfinished > most ? ", …" : "");
        }
    }
}
