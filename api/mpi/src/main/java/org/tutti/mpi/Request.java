package org.tutti.mpi;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.tutti.job.process.UserLine;
import org.tutti.mpi.engine.ProgressThread;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.Transfer;

/// A nonblocking operation: a message or a collective call. The engine owns the buffers until [#await] returns
/// or [#test] returns true; the request holds a reference to each buffer. MPI 4.1, section 3.7.
///
/// In the standard, a request becomes null when its completion has been returned. A `Request` stays valid
/// instead, and returns the same status or throws the same failure again. The methods that wait for *any* or
/// *some* of several requests ([Requests]) return each completion once.
///
/// Tutti makes progress during calls. A program that computes for a long time between start and wait should
/// call [#test] regularly, or use the request as a stage ([#toStage]).
public sealed class Request
        permits PersistentRequest,
                ObjectRequest,
                ObjectMessages.ObjectSend,
                ExchangeRequest,
                LocalRequest,
                CommRequest {
    final Mpi mpi;

    /// The buffer that error messages name.
    private final Buf shown;

    /// The buffer of the result, or `NONE`.
    private final Buf into;

    private @Nullable Activity activity;

    /// The result, a [Status] or a [Throwable]; null while the operation is active.
    private @Nullable Object outcome;

    /// The stage, which is set when the progress thread begins to test the request. From then on, the activity
    /// may be used only under the stage's monitor, or after [Stage#claim] has returned it. The methods that
    /// ignore the stage use the activity directly; they are called under one of these conditions, or without a
    /// stage.
    private @Nullable Stage stage;

    /// Whether the completion has been returned, or the request was never active. The methods that wait for
    /// several requests then treat this request as null.
    private boolean isReported;

    // Links the pending requests of this Mpi, so that close can report them.
    @Nullable
    Request previous;

    @Nullable
    Request next;

    /// Whether the request has been removed from the list of pending requests because it was complete but had
    /// never been awaited.
    boolean isSwept;

    /// Creates the request of an activity that has been started.
    Request(Mpi mpi, Buf shown, Buf into, Activity activity) {
        this(mpi, shown, into);
        begin(activity);
    }

    /// Creates the request of an operation that is already complete.
    Request(Mpi mpi, Buf buf, Status status) {
        this(mpi, buf, Buf.NONE);
        outcome = status;
    }

    /// Creates an inactive request.
    Request(Mpi mpi, Buf shown, Buf into) {
        this.mpi = mpi;
        this.shown = shown;
        this.into = into;
    }

    /// Activates the request for an activity that has been started.
    final void begin(Activity started) {
        leaveStage();
        outcome = null;
        isReported = false;
        activity = started;
        mpi.pending().add(this);
    }

    /// Activates and completes the request, without an activity.
    final void end(Status result) {
        leaveStage();
        isReported = false;
        outcome = result;
    }

    /// Detaches the stage of the previous start. Dependents of the stage receive the result of that start.
    private void leaveStage() {
        Stage s = stage;
        if (s != null) s.keep(outcome);
        stage = null;
    }

    /// Marks the request as never started.
    final void inactive() {
        outcome = Status.empty();
        isReported = true;
    }

    /// Waits until the operation is complete, and returns its status, which is empty for a send, a collective
    /// call and a persistent request that was never started. Further calls return the same status or throw the
    /// same failure. Blocking. `MPI_Wait`, MPI 4.1, section 3.7.3.
    ///
    /// @throws MpiException the failure of the operation: `ERR_TRUNCATE` and `ERR_TYPE` of a message,
    ///     `ERR_PROC_FAILED`, `ERR_MISMATCH`
    public Status await() {
        end("");
        isReported = true;
        return result();
    }

    /// Waits until no activity remains, without marking the completion as returned. Errors name `operation`, or
    /// the request's operation if `operation` is empty.
    final void end(String operation) {
        Stage s = stage;
        if (s == null) {
            awaitNow(operation);
            return;
        }
        s.claim();
        try {
            awaitNow(operation);
        } finally {
            s.release();
        }
    }

    /// Waits as [#end] does, but ignores the [#stage].
    void awaitNow(String operation) {
        for (Activity a = activity; a != null; a = activity) {
            mpi.engine(operation.isEmpty() ? a.operation : operation).await(a);
            finish(a);
        }
    }

    /// Returns a stage that completes, normally or exceptionally, with this request. Until then, a thread of
    /// Tutti tests the request, so the program need not call Tutti for progress. This thread uses a few per
    /// cent of a core, and may detect a completion up to a millisecond late. Dependents that are added before
    /// the completion run on this thread, and no request is tested while a dependent runs. Therefore, use
    /// `thenRunAsync` or a similar method for dependents that wait or compute for a long time: they then run on
    /// a different thread. A dependent that is added later runs on the thread that adds it. The request can
    /// still be awaited. A stage that is not complete when the `Mpi` is closed fails with `ERR_PENDING`, on the
    /// thread that closes. Local.
    ///
    ///     world.irecv(buf(x), 1).toStage().thenAccept(s -> use(x, s.count()));
    ///
    /// @throws MpiException `ERR_OTHER` after [Mpi#close]
    public CompletionStage<Status> toStage() {
        Stage s = stage;
        if (s != null) return s.stage();
        Stage made = new Stage(this);
        if (isOver()) {
            made.keep(outcome);
            made.notifyCompletion();
        } else {
            ProgressThread thread = mpi.progress("toStage");
            stage = made;
            thread.add(made);
        }
        return made.stage();
    }

    /// Polls once without waiting. Returns whether the operation is complete. Local. `MPI_Test`, MPI 4.1,
    /// section 3.7.3.
    ///
    /// @throws MpiException the failure of the operation, as [#await]
    public boolean test() {
        if (!pollRequest()) return false;
        isReported = true;
        result();
        return true;
    }

    /// Polls once without waiting. Returns the status if the operation is complete, otherwise null. Unlike
    /// [#test], this method does not mark the completion as returned: [Requests#awaitAny] and similar methods
    /// still return it. Local. `MPI_Request_get_status`, MPI 4.1, section 3.7.6.
    ///
    /// @throws MpiException the failure of the operation, as [#await]
    public @Nullable Status getStatus() {
        return pollRequest() ? result() : null;
    }

    /// Polls and returns whether the request is complete. The completion is not marked as returned.
    final boolean pollRequest() {
        Stage s = stage;
        return s == null ? pollNow() : s.pollNow();
    }

    /// Polls as [#pollRequest] does, but ignores the [#stage].
    boolean pollNow() {
        for (Activity a = activity; a != null; a = activity) {
            if (!mpi.engine(a.operation).test(a)) return false;
            finish(a);
        }
        return true;
    }

    /// Returns whether the completion has not been returned yet.
    final boolean isOpen() {
        return !isReported;
    }

    /// Marks the completion as returned. Returns the failure of the request, or null.
    final @Nullable Throwable takeFailure() {
        isReported = true;
        return failure();
    }

    /// Returns the failure of a complete request, or null.
    final @Nullable Throwable failure() {
        return outcome instanceof Throwable t ? t : null;
    }

    /// Returns the status or the failure of a complete request.
    final @Nullable Object outcome() {
        return outcome;
    }

    /// Returns the status of a complete request that has not failed.
    final Status status() {
        if (outcome instanceof Status s) return s;
        throw new IllegalStateException("request without a result");
    }

    /// Returns the activity for a wait, or null. The caller must call [#letGo] after the wait.
    final @Nullable Activity underWay() {
        Stage s = stage;
        return s == null ? awaited() : s.claim();
    }

    /// Ends the wait that [#underWay] began.
    final void letGo() {
        Stage s = stage;
        if (s != null) s.release();
    }

    /// Returns the activity that an engine can await, or null.
    @Nullable
    Activity awaited() {
        return activity;
    }

    /// Returns whether the request now waits for an event that no engine can await, for example a call by the
    /// program. The activity that [#awaited] returns may then already be done.
    boolean waitsForProgram() {
        return false;
    }

    /// Returns whether an event outside of the ranks, for example the end of a file access, can complete the
    /// request.
    boolean isCompletedExternally() {
        return false;
    }

    /// Returns whether the request is known to be complete, without a test.
    final boolean isFinished() {
        Stage s = stage;
        return s == null ? activity == null : s.isFinished();
    }

    /// Like [#isFinished], but ignores the [#stage].
    final boolean isOver() {
        return activity == null;
    }

    /// Cancels a receive that no message has matched. The receive is then complete, and the status reports the
    /// cancellation. All other operations continue, and must be awaited: sends, partitioned receives,
    /// collective calls, and a receive that has already matched a message. For a generalized request
    /// ([Mpi#request]), the cancellation callback runs. Local. `MPI_Cancel`, MPI 4.1, section 3.8.4.
    ///
    /// @throws MpiException `ERR_OTHER` after [Mpi#close]
    public final void cancel() {
        Stage s = stage;
        if (s == null) {
            cancelNow();
            return;
        }
        synchronized (s) {
            cancelNow();
        }
    }

    /// Cancels as [#cancel] does, but ignores the [#stage].
    void cancelNow() {
        if (activity instanceof Transfer t && t.kind != Transfer.Kind.SEND)
            mpi.engine(t.operation).cancel(t);
    }

    private Status result() {
        Throwable f = failure();
        if (f != null) throw MpiException.unchecked(f);
        return status();
    }

    /// Returns whether no further activity follows the current activity. Requests that can have several
    /// activities always return false.
    boolean isLast() {
        return true;
    }

    /// Returns the activity to await after `done`, or null.
    @Nullable
    Activity after(Activity done) {
        return null;
    }

    /// Polls once, and returns whether an activity is not done. Called when the rank is about to leave
    /// `engine`.
    boolean isUnfinished(EngineCalls engine) {
        Activity a = activity;
        return a != null && !engine.test(a);
    }

    /// Returns whether the engine uses the buffers. Does not poll, because a different thread may be waiting
    /// for the request.
    boolean isPending() {
        Activity a = activity;
        return a != null && !a.isDone();
    }

    /// Returns whether a buffer of the request is in this memory.
    private boolean isIn(MemoryUse memory) {
        if (memory.contains(shown) || memory.contains(into)) return true;
        return activity instanceof Collective c && (memory.contains(c.send) || memory.contains(c.recv));
    }

    /// Stores the result of an activity that is done, or continues with the next activity.
    final void finish(Activity a) {
        activity = after(a);
        if (activity != null) return;
        mpi.pending().remove(this);
        Throwable why = a.failure();
        if (why != null) {
            fail(MpiException.seenByCaller(why));
        } else {
            try {
                outcome = take(a);
            } catch (RuntimeException | Error e) { // from a record's constructor, or because memory is closed
                fail(e);
            }
        }
        release(a);
    }

    /// Copies received data to the buffer, if necessary, and returns the status.
    private Status take(Activity a) {
        return switch (a.family) {
            case TRANSFER -> {
                Transfer t = (Transfer) a;
                if (!t.cancelled && (into.pieces != null || into.layout != null)) Pieces.copyBack(t, into);
                yield statusOf(t);
            }
            case COLLECTIVE -> {
                Collectives.copyBack((Collective) a, into);
                yield Status.empty();
            }
        };
    }

    /// Returns the status of a completed message.
    Status statusOf(Transfer t) {
        return t.kind == Transfer.Kind.SEND ? Status.empty() : mpi.scratch().status(t);
    }

    /// Completes the request with a failure.
    final void fail(Throwable why) {
        outcome = why;
    }

    /// Returns the description of the buffer for error messages.
    String shown() {
        return shown.toString();
    }

    /// Called when the activity is no longer needed.
    void release(Activity a) {
        mpi.scratch().giveBack(a);
    }

    @Override
    public String toString() {
        Activity a = activity;
        if (a == null) return failure() == null ? "complete" : "failed";
        if (!(a instanceof Transfer t)) return a.operation + "(" + shown() + ")";
        boolean send = t.kind == Transfer.Kind.SEND;
        return t.operation + "(" + shown() + (send ? to(t) : from(t)) + ")";
    }

    /// Returns the destination and the tag of a send, as used in error messages.
    static String to(Transfer send) {
        return ", dest=" + (send.peer - send.port().peerBase()) + ", tag=" + send.tag;
    }

    /// Returns the source and the tag of a receive, as used in error messages.
    static String from(Transfer receive) {
        String peer = receive.peer == Transfer.ANY_SOURCE
                ? "ANY_SOURCE"
                : String.valueOf(receive.peer - receive.port().peerBase());
        String tag = receive.tag == Transfer.ANY_TAG ? "ANY_TAG" : String.valueOf(receive.tag);
        return ", source=" + peer + ", tag=" + tag;
    }

    /// The pending requests of an [Mpi], which close reports. The list is linked through the requests, so that
    /// no memory is allocated when a request is added.
    static final class Pending {
        /// A stack walk, which finds the source line of a request, costs about a microsecond. The stack is
        /// walked for the first [#WALKS] requests, and for [#MORE_WALKS] further requests each time the maximum
        /// number of pending requests has doubled, because the program may then have forgotten some requests.
        private static final int WALKS = 1000, MORE_WALKS = 32;

        private static final int MOST_SWEPT_SHOWN = 8;

        private static final boolean ALWAYS = Boolean.getBoolean("tutti.request.lines");

        private @Nullable Request head;
        private int count;
        private int walks = ALWAYS ? Integer.MAX_VALUE : WALKS;
        private int many = 64;

        /// The source line of each request for which the stack was walked.
        private final Map<Request, String> lines = new IdentityHashMap<>();

        private final Map<String, String> linesOfLike = new HashMap<>();

        /// The length at which completed sends are removed from the list, so that the buffers can be garbage
        /// collected if the program has dropped the requests. It is at least twice the length after the
        /// previous removal. A shorter list is not searched.
        private int sweepAt = 1024;

        /// The number of requests that have been removed and have not been awaited since. The next field
        /// contains descriptions of the first of these.
        private int swept;

        private final List<Swept> firstSwept = new ArrayList<>();

        private record Swept(WeakReference<Request> request, String text) {
            boolean isForgotten() {
                Request r = request.get();
                return r == null || r.isSwept;
            }
        }

        private void sweep() {
            for (Request r = head; r != null; ) {
                Request after = r.next;
                if (isCompletedSend(r)) {
                    if (firstSwept.size() < MOST_SWEPT_SHOWN) {
                        firstSwept.add(new Swept(new WeakReference<>(r), r + line(r)));
                    }
                    unlink(r);
                    r.isSwept = true;
                    swept++;
                }
                r = after;
            }
            sweepAt = Math.max(1024, 2 * count);
        }

        /// Returns whether the request is a completed send. Only sends can be removed, because the data of a
        /// receive is copied to the buffer by a call for that receive.
        private static boolean isCompletedSend(Request r) {
            return r.isLast()
                    && r.activity instanceof Transfer t
                    && t.kind == Transfer.Kind.SEND
                    && t.isDone()
                    && t.failure() == null;
        }

        synchronized void add(Request r) {
            if (count >= sweepAt) sweep();
            r.next = head;
            if (head != null) head.previous = r;
            head = r;
            count++;
            if (count >= many && !ALWAYS) {
                many *= 2;
                walks += MORE_WALKS;
            }
            if (walks > 0) walk(r);
        }

        private void walk(Request r) {
            if (!ALWAYS) walks--;
            String line = UserLine.at();
            lines.put(r, line);
            if (linesOfLike.size() < 4 * WALKS) linesOfLike.putIfAbsent(likeness(r), line);
        }

        /// Returns a string that is usually the same for requests that the same source line has created.
        private static String likeness(Request r) {
            Activity a = r.activity;
            if (!(a instanceof Transfer t))
                return a == null ? "" : a.operation + a.port().name();
            return a.operation + a.port().name() + (t.kind == Transfer.Kind.SEND ? to(t) : from(t));
        }

        /// Returns the source line that created the request, as the end of a message; an empty string if the
        /// line is not known.
        private String line(Request r) {
            String exact = lines.get(r);
            if (exact != null) return exact;
            String like = linesOfLike.get(likeness(r));
            return like == null || like.isEmpty() ? "" : ", like the one created" + like;
        }

        /// Returns the source line that created a pending request, as the end of a message; an empty string if
        /// the line is not known.
        synchronized String lineOf(Request r) {
            return r.mpi.pending() == this ? line(r) : "";
        }

        synchronized void remove(Request r) {
            if (r.isSwept) {
                r.isSwept = false;
                swept--;
                return;
            }
            unlink(r);
        }

        private void unlink(Request r) {
            Request before = r.previous;
            Request after = r.next;
            if (before == null) head = after;
            else before.next = after;
            if (after != null) after.previous = before;
            r.previous = null;
            r.next = null;
            count--;
            if (!lines.isEmpty()) lines.remove(r);
        }

        /// Cancels receives that no message has matched.
        synchronized void cancel() {
            for (Request r = head; r != null; r = r.next) r.cancel();
        }

        /// Describes the requests that are pending. Polls each request, because a send can complete without a
        /// call for this send.
        synchronized String describeUnfinished(EngineCalls engine, int most) {
            return describe(engine, most, true, "1 request is pending", " requests are pending");
        }

        /// Describes the pending requests with buffers in `memory`.
        synchronized String describeUsing(MemoryUse memory, int most) {
            List<Request> found = new ArrayList<>();
            for (Request r = head; r != null; r = r.next) if (r.isIn(memory) && r.isPending()) found.add(r);
            String one = "1 request with a buffer in this memory is pending";
            return describe(
                    found, found.size(), List.of(), most, one, " requests with buffers in this memory are pending");
        }

        /// Describes the complete requests that the program has never awaited or tested.
        synchronized String describeForgotten(EngineCalls engine, int most) {
            return describe(engine, most, false, "1 request was never awaited", " requests were never awaited");
        }

        private String describe(EngineCalls engine, int most, boolean unfinished, String one, String several) {
            List<Request> found = new ArrayList<>();
            for (Request r = head; r != null; r = r.next) if (r.isUnfinished(engine) == unfinished) found.add(r);
            int all = unfinished ? found.size() : found.size() + swept;
            if (all == 0) return "";
            // the list begins with the newest request; if many requests are pending, the newest is most likely
            // to have a source line
            List<Request> shown = unfinished ? found : found.reversed();
            List<String> texts = new ArrayList<>();
            if (!unfinished) for (Swept s : firstSwept) if (s.isForgotten()) texts.add(s.text);
            return describe(shown, all, texts, most, one, several);
        }

        private String describe(
                List<Request> shown, int all, List<String> before, int most, String one, String several) {
            if (all == 0) return "";
            List<String> texts = new ArrayList<>(before);
            for (Request r : shown) if (texts.size() < most) texts.add(r + line(r));
            List<String> first = texts.subList(0, Math.min(most, texts.size()));
            return (all == 1 ? one : all + several) + ": " + String.join(", ", first)
                    + (all > first.size() ? ", …" : "");
        }
    }
}
