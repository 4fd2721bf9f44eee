package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.window.DynamicPort;
import org.tutti.spi.CommCreation;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.Observer;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.WindowPort;
import org.tutti.spi.Windows;
import org.tutti.spi.Windows.Placement;

/// The part of [EngineCalls] for windows.
final class WindowCalls {
    final EngineCalls engine;
    private final @Nullable Observer observer;

    WindowCalls(EngineCalls engine) {
        this.engine = engine;
        observer = engine.observer();
    }

    /// Creates a window on a separate communicator. See [Windows#allocate].
    WindowPort allocateWindow(
            String operation, CommPort parent, String name, long bytes, int unitBytes, Placement placement) {
        return makeWindow(operation, parent, name, (w, own) -> w.allocate(operation, own, bytes, unitBytes, placement));
    }

    /// Creates a window as [#allocateWindow] does, over memory of this rank if the engine supports this. See
    /// [Windows#over].
    WindowPort windowOver(String operation, CommPort parent, String name, MemorySegment own, int unitBytes) {
        return makeWindow(operation, parent, name, (w, port) -> w.over(operation, port, own, unitBytes));
    }

    /// Creates a window as [#allocateWindow] does, for memory that is attached later.
    WindowPort dynamicWindow(String operation, CommPort parent, String name) {
        return makeWindow(operation, parent, name, (w, own) -> {
            WindowPort attachments = w.allocate(operation, own, DynamicPort.BYTES, 1, Placement.ANYWHERE);
            try {
                return new DynamicPort(attachments, w.attachable(operation, attachments));
            } catch (RuntimeException | Error e) {
                attachments.free();
                throw e;
            }
        });
    }

    private WindowPort makeWindow(
            String operation, CommPort parent, String name, BiFunction<Windows, CommPort, WindowPort> maker) {
        Windows w = engine.power(Windows.class);
        if (w == null) {
            String what = "the engine " + engine.info().name() + " has no windows";
            throw MpiException.of(Fault.argument(PredefinedErrorClass.ERR_OTHER, operation, what, parent));
        }
        CommCreation creation = new CommCreation(operation, parent, parent.calls() + 1);
        return engine.create(creation, () -> {
            CommPort own = engine.dupForWindow(creation);
            own.name(name);
            try {
                return maker.apply(w, own);
            } catch (RuntimeException | Error e) {
                engine.free(own);
                throw e;
            }
        });
    }

    long attach(DynamicPort window, MemorySegment memory) {
        return EngineCalls.gate(() -> window.attach(memory));
    }

    void detach(DynamicPort window, MemorySegment memory) {
        EngineCalls.gate(() -> window.detach(memory));
    }

    MemorySegment memory(WindowPort window, int rank) {
        return EngineCalls.gate(() -> window.memory(rank));
    }

    /// Calls the engine directly instead of through a lambda, because this method is on the path of a short
    /// access.
    void flush(WindowPort window, int target) {
        try {
            window.flush(target);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    void flushAll(WindowPort window) {
        EngineCalls.gate(window::flushAll);
    }

    void sync(WindowPort window) {
        EngineCalls.gate(window::sync);
    }

    void lock(WindowPort window, int target, boolean exclusive) {
        Observer o = observer;
        try {
            if (o != null) o.locks(window, target);
            engine.await(window.lock(target, exclusive));
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    void unlock(WindowPort window, int target) {
        EngineCalls.gate(() -> window.unlock(target));
    }

    void post(WindowPort window, int[] origins) {
        EngineCalls.gate(() -> window.post(origins));
    }

    void start(WindowPort window, int[] targets) {
        EngineCalls.gate(() -> engine.await(window.start(targets)));
    }

    void complete(WindowPort window, int[] targets) {
        EngineCalls.gate(() -> window.complete(targets));
    }

    void await(WindowPort window, int[] origins) {
        EngineCalls.gate(() -> engine.await(window.await(origins)));
    }

    /// Tests an exposure. If the result is false, polls the engine, because an origin may wait for a message of
    /// this rank before it calls `complete`.
    boolean test(WindowPort window, int[] origins) {
        if (EngineCalls.gate(() -> window.test(origins))) return true;
        engine.move();
        return false;
    }

    void free(WindowPort window) {
        EngineCalls.gate(window::free);
        engine.free(window.port());
    }
}
