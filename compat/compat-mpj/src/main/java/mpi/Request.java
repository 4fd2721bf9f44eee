package mpi;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.ObjectRequest;
import org.tutti.mpi.Requests;

/// A pending message. After its completion has been reported, the request is null: [#Is_null] returns true, and
/// a further wait returns [MPI#EMPTY_STATUS].
public class Request {
    /// The pending operation; null if none.
    private org.tutti.mpi.@Nullable Request active;

    /// The receive buffer of a receive; otherwise null.
    private @Nullable Receipt receipt;

    /// The receive buffer, and the name of the program's call.
    record Receipt(String operation, Object data, int offset, int count, Datatype type) {}

    Request() {}

    /// Creates the request of a send.
    Request(org.tutti.mpi.Request active) {
        this.active = active;
    }

    /// Creates the request of a receive.
    Request(org.tutti.mpi.Request active, Receipt receipt) {
        this.active = active;
        this.receipt = receipt;
    }

    /// Takes over the pending operation of `started`.
    final void take(Request started) {
        active = started.active;
        receipt = started.receipt;
    }

    final boolean isActive() {
        return active != null;
    }

    /// Cancels the message if it has not been matched. The program must still wait for completion; afterwards
    /// [Status#Test_cancelled] returns whether the message was cancelled.
    public void Cancel() throws MPIException {
        try {
            if (active != null) active.cancel();
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Returns whether completion was reported, or no operation was started.
    public boolean Is_null() throws MPIException {
        return active == null;
    }

    /// Waits for completion.
    public Status Wait() throws MPIException {
        return active == null ? MPI.EMPTY_STATUS : end();
    }

    /// Returns the status if the request is complete, otherwise null.
    public Status Test() throws MPIException {
        if (active == null) return MPI.EMPTY_STATUS;
        return isComplete() ? end() : null;
    }

    /// Returns whether completion or failure can be reported without waiting.
    private boolean isComplete() {
        try {
            return active == null || active.getStatus() != null;
        } catch (MpiException failed) {
            return true; // the failure is thrown when completion is reported
        }
    }

    private Status end() {
        org.tutti.mpi.Request completed = active;
        active = null;
        if (completed == null) return new Status();
        try {
            org.tutti.mpi.Status s = completed.await();
            return receipt == null ? ofSend(s) : received(completed, s, receipt);
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    private static Status ofSend(org.tutti.mpi.Status s) {
        return s.isCancelled() ? Status.ofProbe(s) : new Status();
    }

    private static Status received(org.tutti.mpi.Request completed, org.tutti.mpi.Status s, Receipt r) {
        if (completed instanceof ObjectRequest<?> o) {
            byte[] bytes = s.isCancelled() ? null : (byte[]) o.awaitObject();
            int objects = MpjObjects.put(r.operation, bytes, r.data, r.offset, r.count, r.type);
            return Status.ofObjects(s, objects, bytes == null ? 0 : bytes.length, r.type);
        }
        if (!s.isCancelled()) MpjData.received(r.data, r.offset, s.sizeBytes());
        return Status.of(s, r.type);
    }

    /// Completes the request at this index.
    private static Status end(Request[] requests, int index) {
        Status s = requests[index].end();
        s.index = index;
        return s;
    }

    private static boolean isActive(@Nullable Request r) {
        return r != null && r.active != null;
    }

    /// Waits until one of the requests is complete, and returns its status, in which `index` is the place in the
    /// array; an empty status if no request is active.
    public static Status Waitany(Request[] requests) throws MPIException {
        awaitOne("Waitany", requests);
        for (int i = 0; i < requests.length; i++) {
            if (isActive(requests[i]) && requests[i].isComplete()) return end(requests, i);
        }
        return new Status();
    }

    /// Returns the status of a complete request; null if none is complete; an empty status if no request is
    /// active.
    public static Status Testany(Request[] requests) throws MPIException {
        boolean none = true;
        for (int i = 0; i < requests.length; i++) {
            if (!isActive(requests[i])) continue;
            none = false;
            if (requests[i].isComplete()) return end(requests, i);
        }
        return none ? new Status() : null;
    }

    /// Waits for all requests, and returns the statuses in the order of the requests. If some have failed it
    /// throws the first failure, after all have ended.
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

    /// As [#Waitall] if all are complete; otherwise returns null without changing any request.
    public static Status[] Testall(Request[] requests) throws MPIException {
        boolean all = true;
        for (Request r : requests) all &= !isActive(r) || r.isComplete();
        return all ? Waitall(requests) : null;
    }

    /// Waits until a request is complete, and returns the statuses of all complete requests; an empty status if
    /// no request is active.
    public static Status[] Waitsome(Request[] requests) throws MPIException {
        awaitOne("Waitsome", requests);
        Status[] some = Testsome(requests);
        return some.length == 0 ? new Status[] {new Status()} : some;
    }

    /// Returns the statuses of all complete requests, each with an `index`.
    public static Status[] Testsome(Request[] requests) throws MPIException {
        List<Status> some = new ArrayList<>();
        for (int i = 0; i < requests.length; i++) {
            if (isActive(requests[i]) && requests[i].isComplete()) some.add(end(requests, i));
        }
        return some.toArray(new Status[0]);
    }

    /// Waits until an active request is complete. Returns immediately if no request is active.
    private static void awaitOne(String operation, Request[] requests) {
        for (Request r : requests) if (isActive(r) && r.isComplete()) return;
        Requests set = MPI.job(operation).requests();
        for (Request r : requests) if (isActive(r)) set.add(r.active);
        try {
            set.awaitAny();
        } catch (MpiException e) {
            if (e.scope() == MpiException.Scope.JOB) throw e; // others are thrown when completion is reported
        }
    }
}
