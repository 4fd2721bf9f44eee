package org.tutti.futures;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/// The results of a map, available while the map is running. Results can be iterated once, by one thread: with
/// `for`, as a stream, or as a list.
///
/// For a failed task, iteration throws a [PoolException]: a [TaskFailedException], a [TaskTimeoutException], a
/// [TaskRefusedException], a [WorkerLostException] or a [BrokenPoolException]. An iterator can then continue with
/// the next result. If iteration stops early, no further arguments are read; tasks that were already submitted,
/// at most one window ([Tasks#withWindow]), still run.
///
/// @param <R> type of a result
public final class Results<R extends @Nullable Object> implements Iterable<R> {
    private final MapRun run;
    private boolean used;

    Results(MapRun run) {
        this.run = run;
    }

    /// Returns an iterator that waits for each result. Blocking.
    ///
    /// @throws IllegalStateException if it was called before
    @Override
    @SuppressWarnings("unchecked") // the function returns this type
    public Iterator<R> iterator() {
        if (used) throw new IllegalStateException("iterator: results can be iterated once; store toList()");
        used = true;
        return (Iterator<R>) run.iterator();
    }

    /// Returns all results. Blocking.
    ///
    /// @throws PoolException of the first failed task; tasks that have not ended are cancelled then
    public List<R> toList() {
        List<R> all = new ArrayList<>();
        try {
            for (R result : this) all.add(result);
        } catch (RuntimeException e) {
            cancel();
            throw e;
        }
        return all;
    }

    /// Returns the results as a sequential stream that waits for each result. It throws the same exceptions as
    /// [#toList].
    public Stream<R> stream() {
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(iterator(), Spliterator.ORDERED), false);
    }

    /// Begins no more tasks and interrupts running tasks; there are no more results. Local.
    public void cancel() {
        run.cancel();
    }
}
