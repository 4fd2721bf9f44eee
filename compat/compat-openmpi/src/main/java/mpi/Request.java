package mpi;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Requests;

/// A pending operation. The request becomes null after completion was reported.
public class Request implements Freeable {
    /// Null for a null request.
    org.tutti.mpi.Request request;

    private final Errhandler errhandler;

    Request(org.tutti.mpi.Request request, Errhandler errhandler) {
        this.request = request;
        this.errhandler = errhandler;
    }

    /// Returns whether the request remains valid after completion was reported.
    boolean isPersistent() {
        return false;
    }

    private void reported() {
        if (!isPersistent()) request = null;
    }

    final MPIException failed(MpiException e) {
        reported();
        return Failures.of(e, errhandler);
    }

    public final boolean isNull() {
        return request == null;
    }

    /// Frees the request. Has no effect on a null request, as in the original, because programs free requests
    /// after waiting for them.
    @Override
    public void free() throws MPIException {
        if (request == null) return;
        org.tutti.mpi.Request r = there();
        request = null;
        LifeCycle.freed(r);
    }

    final org.tutti.mpi.Request there() throws MPIException {
        LifeCycle.mpi();
        org.tutti.mpi.Request r = request;
        if (r == null) throw Failures.of(MPI.ERR_REQUEST, "MPI_ERR_REQUEST: the request is null");
        return r;
    }

    /// Cancels the operation. The program must still wait for the request.
    public final void cancel() throws MPIException {
        org.tutti.mpi.Request r = there();
        try {
            r.cancel();
        } catch (MpiException e) {
            throw failed(e);
        }
    }

    public final void waitFor() throws MPIException {
        end();
    }

    public final Status waitStatus() throws MPIException {
        return Status.of(end());
    }

    private org.tutti.mpi.Status end() throws MPIException {
        org.tutti.mpi.Request r = request;
        if (r == null) {
            LifeCycle.mpi();
            return org.tutti.mpi.Status.empty();
        }
        try {
            org.tutti.mpi.Status status = r.await();
            reported();
            return status;
        } catch (MpiException e) {
            throw failed(e);
        }
    }

    public final boolean test() throws MPIException {
        return testStatus() != null;
    }

    public final Status testStatus() throws MPIException {
        org.tutti.mpi.Request r = request;
        if (r == null) {
            LifeCycle.mpi();
            return Status.empty();
        }
        try {
            if (!r.test()) return null;
            org.tutti.mpi.Status status = r.await();
            reported();
            return Status.of(status);
        } catch (MpiException e) {
            throw failed(e);
        }
    }

    public final Status getStatus() throws MPIException {
        org.tutti.mpi.Request r = request;
        if (r == null) {
            LifeCycle.mpi();
            return Status.empty();
        }
        try {
            org.tutti.mpi.Status status = r.getStatus();
            return status == null ? null : Status.of(status);
        } catch (MpiException e) {
            throw Failures.of(e, errhandler);
        }
    }

    // ---- several

    /// The non-null requests of the array `all`; `places` contains the indices in `all`.
    private static final class Several {
        final Request[] all;
        final Requests requests;
        final int[] places;

        Several(Request[] all) throws MPIException {
            this.all = all;
            requests = LifeCycle.mpi().requests();
            places = new int[all.length];
            for (int i = 0; i < all.length; i++) {
                if (all[i] == null) throw Failures.of(MPI.ERR_REQUEST, "MPI_ERR_REQUEST: request " + i + " is null");
                if (all[i].request == null) continue;
                places[requests.size()] = i;
                requests.add(all[i].request);
            }
        }

        /// Returns the status of the request at index `place` of `requests`, and records that completion was
        /// reported.
        Status status(int place) {
            Status status = Status.of(requests.get(place).await(), places[place]);
            all[places[place]].reported();
            return status;
        }

        Status[] statuses(int[] found) {
            Status[] statuses = new Status[found.length];
            for (int i = 0; i < found.length; i++) statuses[i] = status(found[i]);
            return statuses;
        }

        /// Returns the statuses of all requests, at the same indices as in `all`; null requests have empty
        /// statuses.
        Status[] statuses(List<org.tutti.mpi.Status> ended) {
            Status[] statuses = new Status[all.length];
            for (int i = 0; i < all.length; i++) statuses[i] = Status.of(org.tutti.mpi.Status.empty(), i);
            for (int i = 0; i < ended.size(); i++) {
                statuses[places[i]] = Status.of(ended.get(i), places[i]);
                all[places[i]].reported();
            }
            return statuses;
        }

        MPIException failed(MpiException e) {
            for (int i = 0; i < requests.size(); i++) if (isOver(requests.get(i))) all[places[i]].reported();
            return Failures.of(e);
        }
    }

    private static boolean isOver(org.tutti.mpi.Request r) {
        try {
            return r.test();
        } catch (MpiException failure) {
            return true;
        }
    }

    public static void waitAll(Request[] requests) throws MPIException {
        waitAllStatus(requests);
    }

    public static Status[] waitAllStatus(Request[] requests) throws MPIException {
        Several s = new Several(requests);
        try {
            return s.statuses(s.requests.awaitAll());
        } catch (MpiException e) {
            throw s.failed(e);
        }
    }

    public static boolean testAll(Request[] requests) throws MPIException {
        return testAllStatus(requests) != null;
    }

    public static Status[] testAllStatus(Request[] requests) throws MPIException {
        Several s = new Several(requests);
        try {
            return s.requests.testAll() ? s.statuses(s.requests.awaitAll()) : null;
        } catch (MpiException e) {
            throw s.failed(e);
        }
    }

    public static int waitAny(Request[] requests) throws MPIException {
        return waitAnyStatus(requests).getIndex();
    }

    public static Status waitAnyStatus(Request[] requests) throws MPIException {
        Several s = new Several(requests);
        try {
            return one(s, s.requests.awaitAny());
        } catch (MpiException e) {
            throw s.failed(e);
        }
    }

    public static int testAny(Request[] requests) throws MPIException {
        Status status = testAnyStatus(requests);
        return status == null ? MPI.UNDEFINED : status.getIndex();
    }

    public static Status testAnyStatus(Request[] requests) throws MPIException {
        Several s = new Several(requests);
        try {
            OptionalInt place = s.requests.testAny();
            return place.isEmpty() && s.requests.active() > 0 ? null : one(s, place);
        } catch (MpiException e) {
            throw s.failed(e);
        }
    }

    /// Returns the status of the request at `place`. If no request is active, returns an empty status with the
    /// index `UNDEFINED`.
    private static Status one(Several s, OptionalInt place) {
        return place.isEmpty() ? Status.of(org.tutti.mpi.Status.empty(), MPI.UNDEFINED) : s.status(place.getAsInt());
    }

    public static int[] waitSome(Request[] requests) throws MPIException {
        return places(waitSomeStatus(requests));
    }

    public static Status[] waitSomeStatus(Request[] requests) throws MPIException {
        Several s = new Several(requests);
        try {
            return s.requests.active() == 0 ? null : s.statuses(s.requests.awaitSome());
        } catch (MpiException e) {
            throw s.failed(e);
        }
    }

    public static int[] testSome(Request[] requests) throws MPIException {
        return places(testSomeStatus(requests));
    }

    public static Status[] testSomeStatus(Request[] requests) throws MPIException {
        Several s = new Several(requests);
        try {
            return s.requests.active() == 0 ? null : s.statuses(s.requests.testSome());
        } catch (MpiException e) {
            throw s.failed(e);
        }
    }

    private static int[] places(Status[] statuses) {
        return statuses == null
                ? null
                : Arrays.stream(statuses).mapToInt(Status::getIndex).toArray();
    }
}
