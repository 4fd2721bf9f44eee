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

/// A nonblocking operation under way, a message or a collective call. Its buffers belong to the engine
/// until [#await] returned or [#test] said true; the request keeps them alive. MPI 4.1, section 3.7.
///
/// Where the standard makes a request null once its end was told, a `Request` stays and tells the same
/// status or failure again when it is asked; those who wait for *any* or *some* of several ([Requests])
/// tell each end once.
///
/// Progress is made inside Tutti's calls: a program that computes for long between start and wait gives
/// the engine a chance by calling [#test] now and then, or takes the request as a stage ([#toStage]).
public sealed class Request
        permits PersistentRequest,
                ObjectRequest,
                ObjectMessages.ObjectSend,
                ExchangeRequest,
                LocalRequest,
                CommRequest {
    final Mpi mpi;

    /// The buffer that texts name.
    private final Buf shown;

    /// Where the result goes; `NONE` when there is none.
    private final Buf into;

    private @Nullable Activity activity;

    /// What it ended with, a [Status] or a [Throwable]; null while it has not.
    private @Nullable Object outcome;

    /// There when the progress thread looks after it, or has done: then only under its monitor, or claimed
    /// from it, may what is under way be touched.
    private @Nullable Stage stage;

    /// Its end was told, or nothing was ever under way: where several are waited for, it counts as null.
    private boolean told;

    // the list of pending requests of this Mpi, for close
    @Nullable
    Request previous;

    @Nullable
    Request next;

    /// Whether it left that list because it was complete and nothing had asked for it.
    boolean isSwept;

    /// `activity` has been started.
    Request(Mpi mpi, Buf shown, Buf into, Activity activity) {
        this(mpi, shown, into);
        begin(activity);
    }

    /// An operation that had nothing to do.
    Request(Mpi mpi, Buf buf, Status status) {
        this(mpi, buf, Buf.NONE);
        outcome = status;
    }

    /// Nothing is under way yet.
    Request(Mpi mpi, Buf shown, Buf into) {
        this.mpi = mpi;
        this.shown = shown;
        this.into = into;
    }

    /// `started` is under way from now on.
    final void begin(Activity started) {
        leaveStage();
        outcome = null;
        told = false;
        activity = started;
        mpi.pending().add(this);
    }

    /// It had nothing to do.
    final void end(Status result) {
        leaveStage();
        told = false;
        outcome = result;
    }

    /// What depends on the last end is told of that one, whenever it is its turn.
    private void leaveStage() {
        Stage s = stage;
        if (s != null) s.keep(outcome);
        stage = null;
    }

    /// It was never started.
    final void inactive() {
        outcome = Status.empty();
        told = true;
    }

    /// Waits until the operation is complete, and returns its status: of a send, of a collective call and of
    /// a persistent request that was never started, an empty one. May be called again, and returns the same
    /// status or throws the same failure then. Blocking. `MPI_Wait`, MPI 4.1, section 3.7.3.
    ///
    /// @throws MpiException what the operation failed with: `ERR_TRUNCATE` and `ERR_TYPE` of a message,
    ///     `ERR_PROC_FAILED`, `ERR_MISMATCH`
    public Status await() {
        end("");
        told = true;
        return result();
    }

    /// Waits for all that is under way, in the name of `operation`, or of its own when that is empty; tells
    /// nobody.
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

    /// As [#end], without regard to a stage.
    void awaitNow(String operation) {
        for (Activity a = activity; a != null; a = activity) {
            mpi.engine(operation.isEmpty() ? a.operation : operation).await(a);
            finish(a);
        }
    }

    /// Returns the same request for a program that waits for nothing: a stage that is complete, normally or
    /// with what the operation failed with, when this request is. From now on a thread of Tutti's looks after
    /// it until then, so no call is needed for progress; it takes a few per cent of a core meanwhile, and a
    /// message may be seen up to a millisecond late. What depends on the stage runs on that thread, and
    /// nothing else is looked after meanwhile: what waits or computes for long belongs on another one
    /// (`thenRunAsync`). The request may still be waited for. A stage that is not complete when the `Mpi` is
    /// closed fails with `ERR_PENDING`. Local.
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
            made.tell();
        } else {
            ProgressThread thread = mpi.progress("toStage");
            stage = made;
            thread.add(made);
        }
        return made.stage();
    }

    /// Returns whether the operation is complete; makes progress, never waits. Local. `MPI_Test`, MPI 4.1,
    /// section 3.7.3.
    ///
    /// @throws MpiException what the operation failed with, as [#await]
    public boolean test() {
        if (!look()) return false;
        told = true;
        result();
        return true;
    }

    /// Returns the status when the operation is complete, null when it is not; makes progress, never waits.
    /// Unlike [#test] it leaves the end to be told: [Requests#awaitAny] and the like still find it. Local.
    /// `MPI_Request_get_status`, MPI 4.1, section 3.7.6.
    ///
    /// @throws MpiException what the operation failed with, as [#await]
    public @Nullable Status getStatus() {
        return look() ? result() : null;
    }

    /// Whether it is complete; makes progress, tells nobody.
    final boolean look() {
        Stage s = stage;
        return s == null ? lookNow() : s.lookNow();
    }

    /// As [#look], without regard to a stage.
    boolean lookNow() {
        for (Activity a = activity; a != null; a = activity) {
            if (!mpi.engine(a.operation).test(a)) return false;
            finish(a);
        }
        return true;
    }

    /// Whether its end is still to be told.
    final boolean isOpen() {
        return !told;
    }

    /// Its end is told now: the failure, null when there is none.
    final @Nullable Throwable tell() {
        told = true;
        return failure();
    }

    /// Of one that is complete: what it failed with.
    final @Nullable Throwable failure() {
        return outcome instanceof Throwable t ? t : null;
    }

    /// Of one that is complete: the status or failure it ended with.
    final @Nullable Object outcome() {
        return outcome;
    }

    /// Of one that is complete and has not failed.
    final Status status() {
        if (outcome instanceof Status s) return s;
        throw new IllegalStateException("request without a result");
    }

    /// What is under way, for somebody who waits for it and [#letGo]es then; null when nothing is.
    final @Nullable Activity underWay() {
        Stage s = stage;
        return s == null ? awaited() : s.claim();
    }

    /// It is not waited for any more.
    final void letGo() {
        Stage s = stage;
        if (s != null) s.release();
    }

    /// What an engine may wait for now; null when nothing is under way.
    @Nullable
    Activity awaited() {
        return activity;
    }

    /// Whether [#awaited] may be done while the request cannot go on.
    boolean waitsForProgram() {
        return false;
    }

    /// Whether it may be complete by what no rank does.
    boolean endsFromOutside() {
        return false;
    }

    /// Whether it is known to be complete; looks nowhere.
    final boolean isFinished() {
        Stage s = stage;
        return s == null ? activity == null : s.isFinished();
    }

    /// As [#isFinished], without regard to a stage.
    final boolean isOver() {
        return activity == null;
    }

    /// Withdraws a receive that no message has matched yet; it is complete then, and its status says so. A
    /// request that has matched, a send, a partitioned receive and a collective call go on and must be waited
    /// for. Of a request of the program's own ([Mpi#request]) it runs what that was given for this. Local.
    /// `MPI_Cancel`, MPI 4.1, section 3.8.4.
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

    /// As [#cancel], without regard to a stage.
    void cancelNow() {
        if (activity instanceof Transfer t && t.kind != Transfer.Kind.SEND)
            mpi.engine(t.operation).cancel(t);
    }

    private Status result() {
        Throwable f = failure();
        if (f != null) throw MpiException.unchecked(f);
        return status();
    }

    /// Whether nothing follows what is under way; of requests that consist of several activities never.
    boolean isLast() {
        return true;
    }

    /// What is to be waited for after `done`; null when that was all.
    @Nullable
    Activity after(Activity done) {
        return null;
    }

    /// Whether something of it is not done, seen by an engine that is about to be left.
    boolean isUnfinished(EngineCalls engine) {
        Activity a = activity;
        return a != null && !engine.test(a);
    }

    /// Takes the result of `a`, which is done.
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
            } catch (RuntimeException | Error e) { // of a record's constructor, or memory that is closed
                fail(e);
            }
        }
        release(a);
    }

    /// Puts the result where it belongs.
    private Status take(Activity a) {
        return switch (a.family) {
            case TRANSFER -> {
                Transfer t = (Transfer) a;
                if (!t.cancelled) into.fromMemory(t.memory, 0, t.receivedBytes);
                yield statusOf(t);
            }
            case COLLECTIVE -> {
                Collectives.copyBack((Collective) a, into);
                yield Status.empty();
            }
        };
    }

    /// What a message that is done tells.
    Status statusOf(Transfer t) {
        return t.kind == Transfer.Kind.SEND ? Status.empty() : mpi.scratch().status(t);
    }

    /// It ended, but without its result.
    final void fail(Throwable why) {
        outcome = why;
    }

    /// What texts name in the brackets.
    String shown() {
        return shown.toString();
    }

    /// The activity is not needed any more.
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

    /// Whom a send is for, in words.
    static String to(Transfer send) {
        return ", dest=" + (send.peer - send.port().peerBase()) + ", tag=" + send.tag;
    }

    /// Whose message a receive takes, in words.
    static String from(Transfer receive) {
        String peer = receive.peer == Transfer.ANY_SOURCE
                ? "ANY_SOURCE"
                : String.valueOf(receive.peer - receive.port().peerBase());
        String tag = receive.tag == Transfer.ANY_TAG ? "ANY_TAG" : String.valueOf(receive.tag);
        return ", source=" + peer + ", tag=" + tag;
    }

    /// The pending requests of an [Mpi], so that close can name them. A list through the requests themselves:
    /// adding one to it makes nothing.
    static final class Pending {
        /// A walk of the stack takes about a microsecond: so many are free, and so many more each time that
        /// twice as many requests are pending as ever before, because then some may be forgotten.
        private static final int WALKS = 1000, MORE_WALKS = 32;

        private static final int MOST_SWEPT_SHOWN = 8;

        private static final boolean ALWAYS = Boolean.getBoolean("tutti.request.lines");

        private @Nullable Request head;
        private int count;
        private int walks = ALWAYS ? Integer.MAX_VALUE : WALKS;
        private int many = 64;

        /// Where those requests were made for which the stack was walked; and where others like them.
        private final Map<Request, String> lines = new IdentityHashMap<>();

        private final Map<String, String> linesOfLike = new HashMap<>();

        /// A completed send leaves the list at the latest when the list has doubled, so that its buffer is collected
        /// where the program has dropped the request. Shorter lists are not searched.
        private int sweepAt = 1024;

        /// The requests that left so and were not awaited since, and the texts of the first ones.
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

        /// What a receive has to copy to its place is done by whoever asks for it.
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

        /// What requests that are made in one place mostly have in common.
        private static String likeness(Request r) {
            Activity a = r.activity;
            if (!(a instanceof Transfer t))
                return a == null ? "" : a.operation + a.port().name();
            return a.operation + a.port().name() + (t.kind == Transfer.Kind.SEND ? to(t) : from(t));
        }

        /// Where it was made, as the end of what it is called; empty when that is not known.
        private String line(Request r) {
            String exact = lines.get(r);
            if (exact != null) return exact;
            String like = linesOfLike.get(likeness(r));
            return like == null || like.isEmpty() ? "" : ", like one made" + like;
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

        /// Withdraws what no message has matched.
        synchronized void cancel() {
            for (Request r = head; r != null; r = r.next) r.cancel();
        }

        /// Those that really are pending: a send may be complete without anybody having asked.
        synchronized String describeUnfinished(EngineCalls engine, int most) {
            return describe(engine, most, true, "1 request is pending", " requests are pending");
        }

        /// Those that are complete, which the program has never asked.
        synchronized String describeForgotten(EngineCalls engine, int most) {
            return describe(engine, most, false, "1 request was never awaited", " requests were never awaited");
        }

        private String describe(EngineCalls engine, int most, boolean unfinished, String one, String several) {
            List<Request> found = new ArrayList<>();
            for (Request r = head; r != null; r = r.next) if (r.isUnfinished(engine) == unfinished) found.add(r);
            int all = unfinished ? found.size() : found.size() + swept;
            if (all == 0) return "";
            // the list begins with the last one, which is the most likely to have its line where many are pending
            List<Request> shown = unfinished ? found : found.reversed();
            List<String> texts = new ArrayList<>();
            if (!unfinished) for (Swept s : firstSwept) if (s.isForgotten()) texts.add(s.text);
            for (Request r : shown) if (texts.size() < most) texts.add(r + line(r));
            List<String> first = texts.subList(0, Math.min(most, texts.size()));
            return (all == 1 ? one : all + several) + ": " + String.join(", ", first)
                    + (all > first.size() ? ", …" : "");
        }
    }
}
