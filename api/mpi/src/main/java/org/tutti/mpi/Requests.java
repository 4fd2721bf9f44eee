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

/// Requests that are started and waited for together, in a scope that cannot be left with one of them
/// pending:
///
///     try (Requests r = mpi.requests()) {
///         r.add(world.irecv(buf(halo), left));
///         r.add(world.isend(buf(edge), right));
///         r.awaitAll();
///     }
///
/// Requests are known by their place, in the order they were added. Waiting for *any* or *some* tells
/// each end once: a request whose end was told, here or by itself, and a persistent one that is not
/// active are passed over like the standard's null and inactive requests, until they are started again.
///
/// A request that fails is complete, and its failure is thrown by whoever tells its end: the others are
/// not touched by it. For one thread. MPI 4.1, section 3.7.5.
public final class Requests implements AutoCloseable {
    /// No request is complete.
    private static final int NOT_YET = -1;

    private static final int[] NO_PLACES = {};

    /// The first places, so that a loop over few requests allocates nothing.
    private static final OptionalInt[] FIRST_PLACES =
            IntStream.range(0, 64).mapToObj(OptionalInt::of).toArray(OptionalInt[]::new);

    private final List<Request> requests = new ArrayList<>();
    private final Mpi mpi;

    /// What is waited for, and whose it is; used again by every wait.
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

    /// Returns how many requests there are. Local.
    public int size() {
        return requests.size();
    }

    /// Returns the request at `place`, from 0 on. Local.
    ///
    /// @throws IndexOutOfBoundsException when there is none
    public Request get(int place) {
        return requests.get(place);
    }

    /// Returns the number of requests whose end is still to be told. Local.
    public int active() {
        int count = 0;
        for (Request r : requests) if (r.isOpen()) count++;
        return count;
    }

    /// Starts all, in their order, which are persistent and not active. Local. `MPI_Startall`, MPI 4.1,
    /// section 3.9.
    ///
    ///     Requests halo = mpi.requests(world.recvInit(buf(in), left, 0), world.sendInit(buf(out), right, 0));
    ///     for (int step = 0; step < steps; step++) {
    ///         halo.startAll();
    ///         halo.awaitAll();
    ///     }
    ///
    /// @throws MpiException `ERR_REQUEST` when one is not persistent, active or closed: none is started then
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
                "the request at place " + place + ", " + r + ", is not persistent; those of …Init methods are",
                mpi.where());
    }

    /// Waits for all, and returns their statuses, by place. Blocking. `MPI_Waitall`, MPI 4.1, section 3.7.5.
    ///
    /// @throws MpiException when some have failed: the first failure, after all are complete, with the others
    ///     suppressed; [Request#await] has the statuses of the rest
    public List<Status> awaitAll() {
        for (Request r : requests) r.end("awaitAll");
        return tellAll();
    }

    /// Returns whether all are complete; makes progress, never waits. Nothing is told before, a failure
    /// neither. Local. `MPI_Testall`, MPI 4.1, section 3.7.5.
    ///
    /// @throws MpiException as [#awaitAll], once all are complete
    public boolean testAll() {
        boolean all = true;
        for (Request r : requests) all &= r.look();
        if (all) throwTold();
        return all;
    }

    /// Waits until one is complete, and returns its place; [Request#await] then returns its status immediately.
    /// When several are complete, the first of them. Empty when there is none to wait for: all are complete and
    /// were returned before, or are inactive. Blocking. `MPI_Waitany`, MPI 4.1, section 3.7.5.
    ///
    ///     for (OptionalInt next = r.awaitAny(); next.isPresent(); next = r.awaitAny()) use(next.getAsInt());
    ///
    /// @throws MpiException what the request that is complete failed with
    public OptionalInt awaitAny() {
        int place = waitForOne();
        return place < 0 ? OptionalInt.empty() : place(tell(place));
    }

    /// Returns the place of the first that is complete. Empty when none is complete, and when there is none to
    /// wait for; [#active] is 0 in the second case. Makes progress, never waits. Local. `MPI_Testany`, MPI 4.1,
    /// section 3.7.5.
    ///
    /// @throws MpiException what the request that is complete failed with
    public OptionalInt testAny() {
        int place = placeOfComplete();
        return place < 0 ? OptionalInt.empty() : place(tell(place));
    }

    private static OptionalInt place(int place) {
        return place < FIRST_PLACES.length ? FIRST_PLACES[place] : OptionalInt.of(place);
    }

    /// Waits until at least one is complete, and returns the places of all that are. No place when there is
    /// none to wait for. Blocking. `MPI_Waitsome`, MPI 4.1, section 3.7.5.
    ///
    /// @throws MpiException when some of them have failed, the first failure with the others suppressed; the
    ///     ends of those that have not failed are told by the next call
    public int[] awaitSome() {
        return waitForOne() == Comm.UNDEFINED ? NO_PLACES : testSome();
    }

    /// As [#awaitSome], but returns no place when none is complete; makes progress, never waits. Local.
    /// `MPI_Testsome`, MPI 4.1, section 3.7.5.
    ///
    /// @throws MpiException as [#awaitSome]
    public int[] testSome() {
        int count = 0;
        Throwable first = null;
        for (Request r : requests) {
            if (!r.isOpen() || !r.look()) continue;
            if (r.failure() == null) count++;
            else first = join(first, r.tell());
        }
        if (first != null) throw MpiException.unchecked(first);
        if (count == 0) return NO_PLACES;
        int[] complete = new int[count];
        for (int i = 0, k = 0; k < count; i++) {
            Request r = requests.get(i);
            if (!r.isOpen() || !r.isFinished()) continue;
            r.tell();
            complete[k++] = i;
        }
        return complete;
    }

    /// Returns the statuses of all, by place, when all are complete; else null. Never waits. Unlike
    /// [#testAll] it leaves their ends to be told. Local. `MPI_Request_get_status_all`, MPI 4.1, section
    /// 3.7.6.
    ///
    /// @throws MpiException what the first of those that have failed failed with
    public @Nullable List<Status> getStatusAll() {
        List<Status> statuses = new ArrayList<>(requests.size());
        for (Request r : requests) {
            Status status = r.getStatus();
            if (status != null) statuses.add(status);
        }
        return statuses.size() == requests.size() ? statuses : null;
    }

    /// As [#testAny], but leaves the end of what it finds to be told; its status, or its failure, is
    /// [Request#getStatus]'s. `MPI_Request_get_status_any`, MPI 4.1, section 3.7.6.
    public OptionalInt getStatusAny() {
        int place = placeOfComplete();
        return place < 0 ? OptionalInt.empty() : place(place);
    }

    /// Makes progress. `NOT_YET` when none is complete, `UNDEFINED` when there is none to wait for.
    private int placeOfComplete() {
        boolean none = true;
        for (int i = 0; i < requests.size(); i++) {
            Request r = requests.get(i);
            if (!r.isOpen()) continue;
            none = false;
            if (r.look()) return i;
        }
        return none ? Comm.UNDEFINED : NOT_YET;
    }

    /// As [#testSome], but leaves the ends of what it finds to be told, and throws no failure; statuses and
    /// failures are [Request#getStatus]'s. `MPI_Request_get_status_some`, MPI 4.1, section 3.7.6.
    public int[] getStatusSome() {
        return IntStream.range(0, requests.size())
                .filter(i -> requests.get(i).isOpen() && requests.get(i).look())
                .toArray();
    }

    /// Forgets the requests, so that new ones may be added. Local.
    ///
    /// @throws MpiException as [#close]
    public void clear() {
        checkNonePending("Requests.clear", "call awaitAll() before");
        requests.clear();
    }

    /// Checks that none is pending, and never blocks: after an exception a wait could last for ever. Local.
    ///
    /// @throws MpiException `ERR_PENDING` when one is pending; or what a request failed with, when nobody was
    ///     told yet
    @Override
    public void close() {
        checkNonePending("Requests.close", "call awaitAll() before the end of the try block");
    }

    private void checkNonePending(String operation, String cure) {
        int pending = 0;
        Request one = null;
        for (Request r : requests) {
            if (r.look()) continue;
            pending++;
            if (one == null) one = r;
        }
        if (one != null) {
            throw MpiException.argument(
                    ErrorClass.ERR_PENDING,
                    operation,
                    pending + " of " + requests.size() + " requests are pending, the first: " + one + "; " + cure,
                    mpi.where());
        }
        throwTold();
    }

    /// Of one that is complete and was not told; else `NOT_YET`.
    private int placeOfFinished() {
        for (int i = 0; i < requests.size(); i++) {
            Request r = requests.get(i);
            if (r.isOpen() && r.isFinished()) return i;
        }
        return NOT_YET;
    }

    /// Gathers what is under way; how much that is.
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

    /// Waits until one is complete that was not told; its place, or `UNDEFINED` when there is none.
    @SuppressWarnings("NullAway") // the first `count` are there
    private int waitForOne() {
        int place = placeOfFinished();
        if (place != NOT_YET) return place;
        try {
            while (true) {
                int count = collect();
                // a stage's thread may have completed one just before it was gathered
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
                if (r.look()) return place;
                // a part of it is done, and there is another one; or the engine would always find this one first
                if (r.waitsForProgram()) awaitTurnOf(r);
            }
        } finally {
            Arrays.fill(waiting.activities, null);
            for (int i = 0; i < requests.size(); i++) requests.get(i).letGo(); // an iterator would be an object a call
        }
    }

    /// One that is of communicators with another job, for which the engine does not wait.
    private @Nullable Request ofOtherEngine() {
        for (int i = 0; i < requests.size(); i++) {
            Request r = requests.get(i);
            if (r.isOpen() && !r.mpi.sharesEngine(mpi)) return r;
        }
        return null;
    }

    /// Until one is complete, or the engine can wait for `first`, too.
    private void awaitTurnOf(Request first) {
        mpi.engine("awaitAny").await(new LocalWait() {
            @Override
            public String operation() {
                return "awaitAny";
            }

            @Override
            public String what() {
                return "awaitAny of " + active() + ", one of them: " + first;
            }

            @Override
            public boolean isOver() {
                return placeOfComplete() != NOT_YET || first.mpi.sharesEngine(mpi) && !first.waitsForProgram();
            }

            @Override
            public boolean alsoEndsByMessages() {
                return true;
            }

            @Override
            public boolean endsFromOutside() {
                return requests.stream().anyMatch(r -> r.endsFromOutside() || !r.mpi.sharesEngine(mpi));
            }
        });
    }

    private int tell(int place) {
        Throwable why = requests.get(place).tell();
        if (why != null) throw MpiException.unchecked(why);
        return place;
    }

    private List<Status> tellAll() {
        throwTold();
        List<Status> statuses = new ArrayList<>(requests.size());
        for (Request r : requests) statuses.add(r.failure() == null ? r.await() : Status.empty());
        return statuses;
    }

    /// All are complete: their ends are told now.
    private void throwTold() {
        Throwable first = null;
        for (Request r : requests) if (r.isOpen()) first = join(first, r.tell());
        if (first != null) throw MpiException.unchecked(first);
    }

    private static @Nullable Throwable join(@Nullable Throwable first, @Nullable Throwable next) {
        if (first == null) return next;
        if (next != null && next != first) first.addSuppressed(next);
        return first;
    }
}
