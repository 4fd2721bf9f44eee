package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.window.DynamicPort;
import org.tutti.spi.Access;
import org.tutti.spi.CommCreation;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.MessageErrors;
import org.tutti.spi.Observer;
import org.tutti.spi.Observer.Verb;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.WindowPort;
import org.tutti.spi.Windows;
import org.tutti.spi.Windows.Placement;

/// The windows' part of [EngineCalls].
final class WindowCalls {
    private final EngineCalls calls;
    private final @Nullable Observer observer;

    WindowCalls(EngineCalls calls, @Nullable Observer observer) {
        this.calls = calls;
        this.observer = observer;
    }

    /// A window on a communicator of its own. See [Windows#allocate].
    WindowPort allocateWindow(
            String operation, CommPort parent, String name, long bytes, int unitBytes, Placement placement) {
        return makeWindow(operation, parent, name, (w, own) -> w.allocate(operation, own, bytes, unitBytes, placement));
    }

    /// The same, over memory of this rank where the engine can. See [Windows#over].
    WindowPort windowOver(String operation, CommPort parent, String name, MemorySegment own, int unitBytes) {
        return makeWindow(operation, parent, name, (w, port) -> w.over(operation, port, own, unitBytes));
    }

    /// The same, to which memory is attached.
    WindowPort dynamicWindow(String operation, CommPort parent, String name) {
        return makeWindow(operation, parent, name, (w, own) -> {
            WindowPort beside = w.allocate(operation, own, DynamicPort.BYTES, 1, Placement.ANYWHERE);
            try {
                return new DynamicPort(beside, w.attachable(operation, beside));
            } catch (RuntimeException | Error e) {
                beside.free();
                throw e;
            }
        });
    }

    private WindowPort makeWindow(
            String operation, CommPort parent, String name, BiFunction<Windows, CommPort, WindowPort> maker) {
        Windows w = calls.power(Windows.class);
        if (w == null) {
            String what = "the engine " + calls.info().name() + " has no windows";
            throw MpiException.of(Fault.argument(PredefinedErrorClass.ERR_OTHER, operation, what, parent));
        }
        CommCreation creation = new CommCreation(operation, parent, parent.calls() + 1);
        return calls.create(creation, () -> {
            CommPort own = calls.dupForWindow(creation);
            own.name(name);
            try {
                return maker.apply(w, own);
            } catch (RuntimeException | Error e) {
                calls.free(own);
                throw e;
            }
        });
    }

    long attach(DynamicPort window, MemorySegment memory) {
        try {
            return window.attach(memory);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    void detach(DynamicPort window, MemorySegment memory) {
        try {
            window.detach(memory);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    void run(WindowPort window, Access access) {
        Observer o = observer;
        try {
            if (o != null) o.begins(window, access);
            try {
                window.run(access);
            } catch (RuntimeException | Error e) {
                if (o != null) o.fails(Verb.ACCESS);
                throw e;
            }
            if (o != null) o.returns(window, access);
        } catch (Fault f) {
            throw MpiException.of(f);
        } catch (WrongThreadException | IllegalStateException e) {
            throw MpiException.asRuntime(MessageErrors.ofMemory(access.operation, window.port(), e));
        }
    }

    MemorySegment memory(WindowPort window, int rank) {
        try {
            return window.memory(rank);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    void flush(WindowPort window, int target) {
        try {
            window.flush(target);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    void flushAll(WindowPort window) {
        try {
            window.flushAll();
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    void sync(WindowPort window) {
        try {
            window.sync();
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    void lock(WindowPort window, int target, boolean exclusive) {
        Observer o = observer;
        try {
            if (o != null) o.locks(window, target);
            calls.await(window.lock(target, exclusive));
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    void unlock(WindowPort window, int target) {
        try {
            window.unlock(target);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    void post(WindowPort window, int[] origins) {
        try {
            window.post(origins);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    void start(WindowPort window, int[] targets) {
        try {
            calls.await(window.start(targets));
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    void complete(WindowPort window, int[] targets) {
        try {
            window.complete(targets);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    void await(WindowPort window, int[] origins) {
        try {
            calls.await(window.await(origins));
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    /// Makes progress where the answer is no: an origin may wait for a message of this rank before it
    /// completes.
    boolean test(WindowPort window, int[] origins) {
        try {
            if (window.test(origins)) return true;
        } catch (Fault f) {
            throw MpiException.of(f);
        }
        calls.move();
        return false;
    }

    void free(WindowPort window) {
        try {
            window.free();
        } catch (Fault f) {
            throw MpiException.of(f);
        }
        calls.free(window.port());
    }
}
