package mpi;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.ObjectRequest;
import org.tutti.mpi.Requests;

/// A message under way. When its end was told it is null: [#Is_null] says so, and to wait for it again
/// gives [MPI#EMPTY_STATUS].
public class Request {
    /// What is under way; null when nothing is.
    private org.tutti.mpi.@Nullable Request active;

    /// Of a receive, where the message goes; else null.
    private @Nullable Receipt receipt;

    /// Where a message is received, and the call that the program has made for it.
    record Receipt(String operation, Object data, int offset, int count, Datatype type) {}

    Request() {}

    /// Of a send.
    Request(org.tutti.mpi.Request active) {
        this.active = active;
    }

    /// Of a receive.
    Request(org.tutti.mpi.Request active, Receipt receipt) {
        this.active = active;
        this.receipt = receipt;
    }

    /// What is under way there is what is under way here.
    final void take(Request started) {
        active = started.active;
        receipt = started.receipt;
    }

    final boolean isActive() {
        return active != null;
    }

    /// Withdraws the message, if nobody has matched it yet; [Status#Test_cancelled] says so after its
    /// end, which has to be waited for as any other.
    public void Cancel() throws MPIException {
        try {
            if (active != null) active.cancel();
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Returns whether its end was told, or nothing was ever under way.
    public boolean Is_null() throws MPIException {
        return active == null;
    }

    /// Waits for its end.
    public Status Wait() throws MPIException {
        return active == null ? MPI.EMPTY_STATUS : end();
    }

    /// Returns the status when it has ended, null when it has not.
    public Status Test() throws MPIException {
        if (active == null) return MPI.EMPTY_STATUS;
        return hasEnded() ? end() : null;
    }

    /// Whether its end, good or bad, can be told at once.
    private boolean hasEnded() {
        try {
            return active == null || active.getStatus() != null;
        } catch (MpiException failed) {
            return true; // as whoever is told its end hears
        }
    }

    private Status end() {
        org.tutti.mpi.Request ended = active;
        active = null;
        if (ended == null) return new Status();
        try {
            org.tutti.mpi.Status s = ended.await();
            return receipt == null ? ofSend(s) : received(ended, s, receipt);
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    private static Status ofSend(org.tutti.mpi.Status s) {
        return s.isCancelled() ? Status.ofProbe(s) : new Status();
    }

    private static Status received(org.tutti.mpi.Request ended, org.tutti.mpi.Status s, Receipt r) {
        if (ended instanceof ObjectRequest<?> o) {
            byte[] bytes = s.isCancelled() ? null : (byte[]) o.awaitObject();
            int objects = MpjObjects.put(r.operation, bytes, r.data, r.offset, r.count, r.type);
            return Status.ofObjects(s, objects, bytes == null ? 0 : bytes.length, r.type);
        }
        if (!s.isCancelled()) MpjData.received(r.data, r.offset, s.sizeBytes());
        return Status.of(s, r.type);
    }

    /// The end of the one at this place.
    private static Status end(Request[] requests, int index) {
        Status s = requests[index].end();
        s.index = index;
        return s;
    }

    private static boolean isActive(@Nullable Request r) {
        return r != null && r.active != null;
    }

    /// Waits for one of them, and returns its status, whose `index` is its place; an empty one when none
    /// is active.
    public static Status Waitany(Request[] requests) throws MPIException {
        awaitOne(requests);
        for (int i = 0; i < requests.length; i++) {
            if (isActive(requests[i]) && requests[i].hasEnded()) return end(requests, i);
        }
        return new Status();
    }

    /// Returns the status of one that has ended, null when none has; an empty one when none is active.
    public static Status Testany(Request[] requests) throws MPIException {
        boolean none = true;
        for (int i = 0; i < requests.length; i++) {
            if (!isActive(requests[i])) continue;
            none = false;
            if (requests[i].hasEnded()) return end(requests, i);
        }
        return none ? new Status() : null;
    }

    /// Waits for all, and returns their statuses by place. When some have failed it throws the first
    /// failure, after all have ended.
    public static Status[] Waitall(Request[] requests) throws MPIException {
        Status[] all = new Status[requests.length];
        MPIException first = null;
        for (int i = 0; i < requests.length; i++) {
            try {
                all[i] = isActive(requests[i]) ? requests[i].end() : new Status();
                all[i].index = i;
            } catch (MPIException e) {
                if (first == null) first = e;
                else first.addSuppressed(e);
            }
        }
        if (first != null) throw first;
        return all;
    }

    /// As [#Waitall] when all have ended; null, and nobody is told, when they have not.
    public static Status[] Testall(Request[] requests) throws MPIException {
        boolean all = true;
        for (Request r : requests) all &= !isActive(r) || r.hasEnded();
        return all ? Waitall(requests) : null;
    }

    /// Waits until one has ended, and returns the statuses of all that have; one that is empty when none
    /// is active.
    public static Status[] Waitsome(Request[] requests) throws MPIException {
        awaitOne(requests);
        Status[] some = Testsome(requests);
        return some.length == 0 ? new Status[] {new Status()} : some;
    }

    /// Returns the statuses of those that have ended, each with its place in `index`.
    public static Status[] Testsome(Request[] requests) throws MPIException {
        List<Status> some = new ArrayList<>();
        for (int i = 0; i < requests.length; i++) {
            if (isActive(requests[i]) && requests[i].hasEnded()) some.add(end(requests, i));
        }
        return some.toArray(new Status[0]);
    }

    /// Until one has ended that is active, if there is one.
    private static void awaitOne(Request[] requests) {
        for (Request r : requests) if (isActive(r) && r.hasEnded()) return;
        Requests set = MPI.job("Waitany").requests();
        for (Request r : requests) if (isActive(r)) set.add(r.active);
        try {
            set.awaitAny();
        } catch (MpiException e) {
            if (e.scope() == MpiException.Scope.JOB) throw e; // else whoever is told its end hears
        }
    }
}
