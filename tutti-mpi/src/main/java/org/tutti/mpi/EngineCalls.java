package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.LocalWait;
import org.tutti.spi.MessageErrors;
import org.tutti.spi.Transfer;

/// The one gate between the user API and a rank's engine, method for method: a [Fault] that an engine throws
/// becomes a [MpiException] here.
final class EngineCalls {
    private final Engine engine;

    EngineCalls(Engine engine) {
        this.engine = engine;
    }

    String name() {
        return engine.name();
    }

    String description() {
        return engine.description();
    }

    String processorName() {
        return engine.processorName();
    }

    int tagUpperBound() {
        return engine.tagUpperBound();
    }

    CommPort world() {
        return engine.world();
    }

    CommPort self() {
        return engine.self();
    }

    @Nullable
    CommPort split(CommPort parent, int color, int key) {
        try {
            return engine.split(parent, color, key);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    CommPort dup(CommPort parent) {
        try {
            return engine.dup(parent);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    Collective startDup(CommPort parent) {
        try {
            return engine.startDup(parent);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    CommPort finishDup(Collective done) {
        try {
            return engine.finishDup(done);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    CommPort splitShared(CommPort parent, int key) {
        try {
            return engine.splitShared(parent, key);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    CommPort createGroup(CommPort parent, int[] ranks, int tag) {
        try {
            return engine.createGroup(parent, ranks, tag);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    void free(CommPort port) {
        try {
            engine.free(port);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    Transfer transfer() {
        return engine.transfer();
    }

    Collective collective() {
        return engine.collective();
    }

    void start(Activity activity) {
        try {
            engine.start(activity);
        } catch (Fault f) {
            throw MpiException.of(f);
        } catch (WrongThreadException | IllegalStateException e) {
            throw Mpi.asRuntime(MessageErrors.ofMemory(activity, e));
        }
    }

    boolean test(Activity activity) {
        try {
            return engine.test(activity);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    void await(Activity activity) {
        try {
            engine.await(activity);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    void await(LocalWait wait) {
        try {
            engine.await(wait);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    int awaitAny(Activity[] activities, int count) {
        try {
            return engine.awaitAny(activities, count);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    void run(Activity activity) {
        try {
            engine.run(activity);
        } catch (Fault f) {
            throw MpiException.of(f);
        } catch (WrongThreadException | IllegalStateException e) {
            throw Mpi.asRuntime(MessageErrors.ofMemory(activity, e));
        }
    }

    void cancel(Transfer receive) {
        try {
            engine.cancel(receive);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    boolean probe(Transfer pattern, boolean wait, boolean take) {
        try {
            return engine.probe(pattern, wait, take);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    boolean outlives(Transfer send) {
        try {
            return engine.outlives(send);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    @Nullable
    String unreceived() {
        try {
            return engine.unreceived();
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    MemorySegment allocate(long bytes) {
        try {
            return engine.allocate(bytes);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    void leave() {
        try {
            engine.leave();
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    void abort(int code, String why) {
        try {
            engine.abort(code, why);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    /// What ended the job; null while it has not failed.
    @Nullable
    Throwable poison() {
        return engine.poison();
    }
}
