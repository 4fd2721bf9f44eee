package org.tutti.futures;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/// Results of a map, as they come. They can be gone through once, by one thread: with `for`, as a
/// stream, or as a list.
///
/// A task that has failed throws its [TaskFailedException] where its result would be; an iterator then goes on
/// with the next one. What is left early stays where it is: its tasks under way come to their end, and
/// no more begin.
///
/// @param <R> of a result
public final class Results<R extends @Nullable Object> implements Iterable<R> {
    private final MapRun run;
    private boolean used;

    Results(MapRun run) {
        this.run = run;
    }

    /// Returns the results one by one; waits for each. Blocking.
    ///
    /// @throws IllegalStateException when it was called before
    @Override
    @SuppressWarnings("unchecked") // the function's type said so
    public Iterator<R> iterator() {
        if (used) throw new IllegalStateException("iterator: results can be gone through once; toList() keeps them");
        used = true;
        return (Iterator<R>) run.iterator();
    }

    /// Returns all results. Blocking.
    ///
    /// @throws TaskFailedException of the first task that has failed, or another of the exceptions that stand
    ///     for a result; the tasks that have not ended are cancelled then
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

    /// Returns the results as a sequential stream, which waits for each. It ends with what [#toList]
    /// throws.
    public Stream<R> stream() {
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(iterator(), Spliterator.ORDERED), false);
    }

    /// Begins no more tasks and interrupts those under way; there are no more results then. Local.
    public void cancel() {
        run.cancel();
    }
}
