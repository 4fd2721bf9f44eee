package org.tutti.spi;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Combines several observers. The first observer is the first that is notified before a call, and the last that
/// is notified after the call. If an observer throws an exception, the observers before it in the list are
/// notified that the call has failed.
public final class Observers implements Observer {
    private final Observer outer;
    private final Observer inner;

    private Observers(Observer outer, Observer inner) {
        this.outer = outer;
        this.inner = inner;
    }

    /// Returns one observer that notifies all of the given observers; the first of these is the outermost.
    /// Returns null for an empty list.
    public static @Nullable Observer of(List<Observer> all) {
        if (all.isEmpty()) return null;
        Observer rest = of(all.subList(1, all.size()));
        return rest == null ? all.getFirst() : new Observers(all.getFirst(), rest);
    }

    @Override
    public void begins(Verb verb, ObservedCall call) {
        outer.begins(verb, call);
        try {
            inner.begins(verb, call);
        } catch (RuntimeException | Error e) {
            outer.fails(verb);
            throw e;
        }
    }

    @Override
    public void returns(Verb verb, ObservedCall call) {
        try {
            inner.returns(verb, call);
        } catch (RuntimeException | Error e) {
            outer.fails(verb);
            throw e;
        }
        outer.returns(verb, call);
    }

    @Override
    public void locks(WindowPort window, int target) {
        outer.locks(window, target);
        inner.locks(window, target);
    }

    @Override
    public void ended(FileAccess access, boolean failed) {
        inner.ended(access, failed);
        outer.ended(access, failed);
    }

    @Override
    public void fails(Verb verb) {
        inner.fails(verb);
        outer.fails(verb);
    }

    @Override
    public String explain(Activity activity) {
        String explained = outer.explain(activity);
        return explained.isEmpty() ? inner.explain(activity) : explained;
    }

    @Override
    public void leaving() {
        outer.leaving();
        inner.leaving();
    }

    @Override
    public void left() {
        inner.left();
        outer.left();
    }

    @Override
    public void aborts() {
        outer.aborts();
        inner.aborts();
    }

    @Override
    public String linesOfUnreceived(List<CommPort> open) {
        return List.of(outer, inner).stream()
                .map(o -> o.linesOfUnreceived(open))
                .filter(lines -> !lines.isEmpty())
                .collect(Collectors.joining(", "));
    }
}
