package org.tutti.mpi;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Activity;
import org.tutti.spi.LocalWait;
import org.tutti.spi.WaitAny;

/// A set of requests that are started and awaited together. At the end of the `try` block, no request may be
/// pending:
///
///     try (Requests r = mpi.requests()) {
///         r.add(world.irecv(buf(halo), left));
///         r.add(world.isend(buf(edge), right));
///         r.awaitAll();
///     }
///
/// Requests are identified by index, in the order in which they were added. The methods that wait for *any* or
/// *some* requests return each completion once. Until the next start, these methods skip inactive persistent
/// requests, and requests whose completion has already been returned by this class or by [Request]; the
/// standard's functions skip null and inactive requests in the same way.
///
/// A request that fails is complete, and the method that returns its completion throws the failure; the
/// remaining requests are not affected. A set must be used by only one thread at a time. MPI 4.1, section
/// 3.7.5.
public final class Requests implements AutoCloseable {
    /// The value that means that no request is complete yet.
    private static final int NOT_YET = -1;

    private static final int[] NO_PLACES = {};

    /// The objects for the first indices, so that a loop over few requests allocates no memory.
    private static final OptionalInt[] FIRST_PLACES =
            IntStream.range(0, 64).mapToObj(OptionalInt::of).toArray(OptionalInt[]::new);

    private final List<Request> requests = new ArrayList<>();
    private final Mpi mpi;

    /// The activities of the current wait. The next field contains the index of each activity's request. The
    /// two objects are reused by every wait.
    private final WaitAny waiting = new WaitAny();

    private int[] places = {};

    Requests(Mpi mpi) {
        this.mpi = mpi;
    }

    /// Adds a request, and returns it. Local.
    public <R extends Request> R add(R request) {
        Arguments.given("add", "request", request);
        requests.add(request);
        return request;
    }

    /// Returns the number of requests. Local.
    public int size() {
        return requests.size();
    }

    /// Returns the request at index `place`, counted from 0. Local.
    ///
    /// @throws IndexOutOfBoundsException if the index is out of range
    public Request get(int place) {
        return requests.get(place);
    }

    /// Returns the number of requests that are active, or whose completion has not been returned yet. Local.
    public int active() {
        int count = 0;
        for (Request r : requests) if (r.isOpen()) count++;
        return count;
    }

    /// Starts all requests in order. All requests must be persistent and inactive. Local. `MPI_Startall`, MPI
    /// 4.1, section 3.9.
    ///
    ///     Requests halo = mpi.requests(world.recvInit(buf(in), left, 0), world.sendInit(buf(out), right, 0));
    ///     for (int step = 0; step < steps; step++) {
    ///         halo.startAll();
    ///         halo.awaitAll();
    ///     }
    ///
    /// @throws MpiException `ERR_REQUEST` if a request is not persistent, is active, or is closed; in these
    ///     cases, no request is started
    public void startAll() {
        for (int i = 0; i < requests.size(); i++) {
            Request r = requests.get(i);
            if (r instanceof PersistentRequest p) p.checkStart();
            else throw notPersistent(i, r);
        }
        for (Request r : requests) if (r instanceof PersistentRequest p) p.start();
    }

    private MpiException notPersistent(int place, Request r) {
        return MpiException.argument(
                ErrorClass.ERR_REQUEST,
                "Requests.startAll",
                "the request at index " + place + ", " + r + ", is not persistent; create it with an …Init method",
                mpi.where());
    }

    /// Waits for all requests, and returns the statuses in the order of the indices. Blocking. `MPI_Waitall`,
    /// MPI 4.1, section 3.7.5.
    ///
    /// @throws MpiException if requests have failed, for example with `ERR_TRUNCATE`; the exception is the
    ///     first failure, and contains the other failures as suppressed exceptions. It is thrown when all
    ///     requests are complete; [Request#await] then returns the statuses of the successful requests
    public List<Status> awaitAll() {
        for (Request r : requests) r.end("awaitAll");
        return completeAll();
    }

    /// Polls once without waiting. Returns whether all requests are complete. Completions and failures are
    /// returned only when all requests are complete. Local. `MPI_Testall`, MPI 4.1, section 3.7.5.
    ///
    /// @throws MpiException as [#awaitAll], when all requests are complete
    public boolean testAll() {
        boolean all = true;
        for (Request r : requests) all &= r.pollRequest();
        if (all) throwReported();
        return all;
    }

    /// Waits until a request is complete, and returns its index; [Request#await] then returns its status
    /// immediately. If several requests are complete, returns the lowest index. Returns an empty result if no
    /// request remains, because all completions have already been returned, or because the requests are
    /// inactive. Blocking. `MPI_Waitany`, MPI 4.1, section 3.7.5.
    ///
    ///     for (OptionalInt next = r.awaitAny(); next.isPresent(); next = r.awaitAny()) use(next.getAsInt());
    ///
    /// @throws MpiException the failure of the completed request, for example `ERR_TRUNCATE`
    public OptionalInt awaitAny() {
        int place = waitForOne();
        return place < 0 ? OptionalInt.empty() : place(takeFailure(place));
    }

    /// Polls once without waiting. Returns the index of the first complete request; an empty result if no
    /// request is complete, or if no request remains. In the second case, [#active] is 0. Local. `MPI_Testany`,
    /// MPI 4.1, section 3.7.5.
    ///
    /// @throws MpiException the failure of the completed request, for example `ERR_TRUNCATE`
    public OptionalInt testAny() {
        int place = placeOfComplete();
        return place < 0 ? OptionalInt.empty() : place(takeFailure(place));
    }

    private static OptionalInt place(int place) {
        return place < FIRST_PLACES.length ? FIRST_PLACES[place] : OptionalInt.of(place);
    }

    /// Waits until at least one request is complete, and returns the indices of all complete requests. Returns
    /// no index if no request remains. Blocking. `MPI_Waitsome`, MPI 4.1, section 3.7.5.
    ///
    /// @throws MpiException if some requests have failed, for example with `ERR_TRUNCATE`; the exception is the
    ///     first failure, and contains the other failures as suppressed exceptions. The next call returns the
    ///     completions of the successful requests
    public int[] awaitSome() {
        return waitForOne() == Comm.UNDEFINED ? NO_PLACES : testSome();
    }

    /// Returns the indices as [#awaitSome] does, or no index if no request is complete. Polls without waiting.
    /// Local. `MPI_Testsome`, MPI 4.1, section 3.7.5.
    ///
    /// @throws MpiException as [#awaitSome]
    public int[] testSome() {
        int count = 0;
        Throwable first = null;
        for (Request r : requests) {
            if (!r.isOpen() || !r.pollRequest()) continue;
            if (r.failure() == null) count++;
            else first = join(first, r.takeFailure());
        }
        if (first != null) throw MpiException.unchecked(first);
        if (count == 0) return NO_PLACES;
        int[] complete = new int[count];
        for (int i = 0, k = 0; k < count; i++) {
            Request r = requests.get(i);
            if (!r.isOpen() || !r.isFinished()) continue;
            r.takeFailure();
            complete[k++] = i;
        }
        return complete;
    }

    /// Returns the statuses in the order of the indices if all requests are complete, otherwise null. Never
    /// waits. Unlike [#testAll], this method does not mark the completions as returned. Local.
    /// `MPI_Request_get_status_all`, MPI 4.1, section 3.7.6.
    ///
    /// @throws MpiException the failure of the first request that has failed, for example `ERR_TRUNCATE`
    public @Nullable List<Status> getStatusAll() {
        List<Status> statuses = new ArrayList<>(requests.size());
        for (Request r : requests) {
            Status status = r.getStatus();
            if (status != null) statuses.add(status);
        }
        return statuses.size() == requests.size() ? statuses : null;
    }

    /// Returns an index as [#testAny] does, but does not mark the completion as returned; [Request#getStatus]
    /// returns the status or throws the failure. Local. `MPI_Request_get_status_any`, MPI 4.1, section 3.7.6.
    public OptionalInt getStatusAny() {
        int place = placeOfComplete();
        return place < 0 ? OptionalInt.empty() : place(place);
    }

    /// Polls once. Returns `NOT_YET` if no request is complete, `UNDEFINED` if no request remains.
    private int placeOfComplete() {
        boolean none = true;
        for (int i = 0; i < requests.size(); i++) {
            Request r = requests.get(i);
            if (!r.isOpen()) continue;
            none = false;
            if (r.pollRequest()) return i;
        }
        return none ? Comm.UNDEFINED : NOT_YET;
    }

    /// Returns indices as [#testSome] does, but does not mark the completions as returned, and throws no
    /// failure; [Request#getStatus] returns statuses and throws failures. Local. `MPI_Request_get_status_some`,
    /// MPI 4.1, section 3.7.6.
    public int[] getStatusSome() {
        return IntStream.range(0, requests.size())
                .filter(i -> requests.get(i).isOpen() && requests.get(i).pollRequest())
                .toArray();
    }

    /// Removes all requests, so that new requests can be added. Local.
    ///
    /// @throws MpiException as [#close]
    public void clear() {
        checkNonePending("Requests.clear", "call awaitAll() first");
        requests.clear();
    }

    /// Checks that no request is pending. Does not wait, because after an exception a wait could last forever.
    /// Local.
    ///
    /// @throws MpiException `ERR_PENDING` if a request is pending; or the failure of a request, if this failure
    ///     has not been thrown yet
    @Override
    public void close() {
        checkNonePending("Requests.close", "call awaitAll() before the end of the try block");
    }

    private void checkNonePending(String operation, String cure) {
        int pending = 0;
        Request one = null;
        for (Request r : requests) {
            if (r.pollRequest()) continue;
            pending++;
            if (one == null) one = r;
        }
        if (one != null) {
            Activity a = one.awaited();
            throw MpiException.argument(
                    ErrorClass.ERR_PENDING,
                    operation,
                    pending + " of " + requests.size() + " requests " + (pending == 1 ? "is" : "are")
                            + " pending, the first: " + one + mpi.pending().lineOf(one) + "; " + cure,
                    a == null ? mpi.where() : a.port());
        }
        throwReported();
    }

    /// Returns the index of a complete request whose completion has not been returned; otherwise `NOT_YET`.
    private int placeOfFinished() {
        for (int i = 0; i < requests.size(); i++) {
            Request r = requests.get(i);
            if (r.isOpen() && r.isFinished()) return i;
        }
        return NOT_YET;
    }

    /// Collects the activities, and returns the number of activities.
    private int collect() {
        if (waiting.activities.length < requests.size()) {
            waiting.activities = new @Nullable Activity[2 * requests.size()];
            places = new int[waiting.activities.length];
        }
        int count = 0;
        for (int i = 0; i < requests.size(); i++) {
            Activity a = requests.get(i).underWay();
            if (a == null) continue;
            waiting.activities[count] = a;
            places[count++] = i;
        }
        waiting.count = count;
        return count;
    }

    /// Waits for a completion that has not been returned. Returns the index of the request, or `UNDEFINED` if
    /// no request remains.
    @SuppressWarnings("NullAway") // the first `count` activities are not null
    private int waitForOne() {
        int place = placeOfFinished();
        if (place != NOT_YET) return place;
        try {
            while (true) {
                int count = collect();
                // the progress thread may have completed a request just before the activity was collected
                place = placeOfFinished();
                if (place != NOT_YET) return place;
                Request others = ofOtherEngine();
                if (others != null) {
                    awaitTurnOf(others);
                    continue;
                }
                if (count == 0) return Comm.UNDEFINED;
                place = places[mpi.engine("awaitAny").awaitAny(waiting)];
                Request r = requests.get(place);
                if (r.pollRequest()) return place;
                // the request continues with a different activity; without this wait, the engine would return
                // the completed activity again
                if (r.waitsForProgram()) awaitTurnOf(r);
            }
        } finally {
            Arrays.fill(waiting.activities, null);
            for (int i = 0; i < requests.size(); i++) requests.get(i).letGo(); // an iterator would be a new object
        }
    }

    /// Returns a request that this engine cannot await, because the request's communicator connects to a
    /// different job; null if no such request exists.
    private @Nullable Request ofOtherEngine() {
        for (int i = 0; i < requests.size(); i++) {
            Request r = requests.get(i);
            if (r.isOpen() && !r.mpi.sharesEngine(mpi)) return r;
        }
        return null;
    }

    /// Waits until any request is complete, or until the engine can await `first`.
    private void awaitTurnOf(Request first) {
        mpi.engine("awaitAny").await(new LocalWait() {
            @Override
            public String operation() {
                return "awaitAny";
            }

            @Override
            public String what() {
                return "awaitAny of " + active() + " requests, including " + first;
            }

            @Override
            public boolean isOver() {
                return placeOfComplete() != NOT_YET || first.mpi.sharesEngine(mpi) && !first.waitsForProgram();
            }

            @Override
            public boolean completesByMessages() {
                return true;
            }

            @Override
            public boolean isCompletedExternally() {
                return requests.stream().anyMatch(r -> r.isCompletedExternally() || !r.mpi.sharesEngine(mpi));
            }
        });
    }

    private int takeFailure(int place) {
        Throwable why = requests.get(place).takeFailure();
        if (why != null) throw MpiException.unchecked(why);
        return place;
    }

    private List<Status> completeAll() {
        throwReported();
        List<Status> statuses = new ArrayList<>(requests.size());
        for (Request r : requests) statuses.add(r.failure() == null ? r.await() : Status.empty());
        return statuses;
    }

    /// Called when all requests are complete: marks the completions as returned, and throws the failures.
    private void throwReported() {
        Throwable first = null;
        for (Request r : requests) if (r.isOpen()) first = join(first, r.takeFailure());
        if (first != null) throw MpiException.unchecked(first);
    }

    private static @Nullable Throwable join(@Nullable Throwable first, @Nullable Throwable next) {
        if (first == null) return next;
        if (next != null && next != first) first.addSuppressed(next);
        return first;
    }
}
