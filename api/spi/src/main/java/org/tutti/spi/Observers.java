package org.tutti.spi;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Several observers as one. The first is told first of what begins, and last of what returns; where one
/// throws, those that were told of the beginning are told that it failed.
public final class Observers implements Observer {
    private final Observer outer;
    private final Observer inner;

    private Observers(Observer outer, Observer inner) {
        this.outer = outer;
        this.inner = inner;
    }

    /// Those, the first of them outermost; null for none.
    public static @Nullable Observer of(List<Observer> all) {
        if (all.isEmpty()) return null;
        Observer rest = of(all.subList(1, all.size()));
        return rest == null ? all.getFirst() : new Observers(all.getFirst(), rest);
    }

    private static Verb verb(boolean wait) {
        return wait ? Verb.PROBE : Verb.IPROBE;
    }

    @Override
    public void begins(Activity activity, Verb verb) {
        outer.begins(activity, verb);
        try {
            inner.begins(activity, verb);
        } catch (RuntimeException | Error e) {
            outer.fails(verb);
            throw e;
        }
    }

    @Override
    public void returns(Activity activity, Verb verb) {
        try {
            inner.returns(activity, verb);
        } catch (RuntimeException | Error e) {
            outer.fails(verb);
            throw e;
        }
        outer.returns(activity, verb);
    }

    @Override
    public void begins(Activity[] activities, int count) {
        outer.begins(activities, count);
        try {
            inner.begins(activities, count);
        } catch (RuntimeException | Error e) {
            outer.fails(Verb.AWAIT_ANY);
            throw e;
        }
    }

    @Override
    public void returns(Activity[] activities, int count, int which) {
        try {
            inner.returns(activities, count, which);
        } catch (RuntimeException | Error e) {
            outer.fails(Verb.AWAIT_ANY);
            throw e;
        }
        outer.returns(activities, count, which);
    }

    @Override
    public void begins(LocalWait wait) {
        outer.begins(wait);
        try {
            inner.begins(wait);
        } catch (RuntimeException | Error e) {
            outer.fails(Verb.AWAIT_LOCAL);
            throw e;
        }
    }

    @Override
    public void returns(LocalWait wait) {
        try {
            inner.returns(wait);
        } catch (RuntimeException | Error e) {
            outer.fails(Verb.AWAIT_LOCAL);
            throw e;
        }
        outer.returns(wait);
    }

    @Override
    public void begins(Transfer pattern, boolean wait, boolean take) {
        outer.begins(pattern, wait, take);
        try {
            inner.begins(pattern, wait, take);
        } catch (RuntimeException | Error e) {
            outer.fails(verb(wait));
            throw e;
        }
    }

    @Override
    public void returns(Transfer pattern, boolean wait, boolean take, boolean found) {
        try {
            inner.returns(pattern, wait, take, found);
        } catch (RuntimeException | Error e) {
            outer.fails(verb(wait));
            throw e;
        }
        outer.returns(pattern, wait, take, found);
    }

    @Override
    public void begins(CommCreation creation) {
        outer.begins(creation);
        try {
            inner.begins(creation);
        } catch (RuntimeException | Error e) {
            outer.fails(Verb.CREATE);
            throw e;
        }
    }

    @Override
    public void returns(CommCreation creation) {
        try {
            inner.returns(creation);
        } catch (RuntimeException | Error e) {
            outer.fails(Verb.CREATE);
            throw e;
        }
        outer.returns(creation);
    }

    @Override
    public void begins(WindowPort window, Access access) {
        outer.begins(window, access);
        try {
            inner.begins(window, access);
        } catch (RuntimeException | Error e) {
            outer.fails(Verb.ACCESS);
            throw e;
        }
    }

    @Override
    public void locks(WindowPort window, int target) {
        outer.locks(window, target);
        inner.locks(window, target);
    }

    @Override
    public void returns(WindowPort window, Access access) {
        try {
            inner.returns(window, access);
        } catch (RuntimeException | Error e) {
            outer.fails(Verb.ACCESS);
            throw e;
        }
        outer.returns(window, access);
    }

    @Override
    public void begins(FileAccess access) {
        outer.begins(access);
        try {
            inner.begins(access);
        } catch (RuntimeException | Error e) {
            outer.fails(Verb.FILE);
            throw e;
        }
    }

    @Override
    public void returns(FileAccess access, long done) {
        try {
            inner.returns(access, done);
        } catch (RuntimeException | Error e) {
            outer.fails(Verb.FILE);
            throw e;
        }
        outer.returns(access, done);
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
