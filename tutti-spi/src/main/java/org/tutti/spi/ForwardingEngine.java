package org.tutti.spi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// An engine that passes everything on to another one; interceptors override what they want to see.
/// Activities and ports are those of the engine inside.
public abstract class ForwardingEngine implements Engine {
    /// The next one inside.
    protected final Engine inner;

    protected ForwardingEngine(Engine inner) {
        this.inner = inner;
    }

    @Override
    public String name() {
        return inner.name();
    }

    @Override
    public String description() {
        return inner.description();
    }

    @Override
    public String processorName() {
        return inner.processorName();
    }

    @Override
    public int tagUpperBound() {
        return inner.tagUpperBound();
    }

    @Override
    public CommPort world() {
        return inner.world();
    }

    @Override
    public CommPort self() {
        return inner.self();
    }

    @Override
    public @Nullable CommPort split(CommPort parent, int color, int key) {
        return inner.split(parent, color, key);
    }

    @Override
    public CommPort dup(CommPort parent) {
        return inner.dup(parent);
    }

    @Override
    public Collective startDup(CommPort parent) {
        return inner.startDup(parent);
    }

    @Override
    public CommPort finishDup(Collective done) {
        return inner.finishDup(done);
    }

    @Override
    public CommPort splitShared(CommPort parent, int key) {
        return inner.splitShared(parent, key);
    }

    @Override
    public CommPort createGroup(CommPort parent, int[] ranks, int tag) {
        return inner.createGroup(parent, ranks, tag);
    }

    @Override
    public void free(CommPort port) {
        inner.free(port);
    }

    @Override
    public Transfer transfer() {
        return inner.transfer();
    }

    @Override
    public Collective collective() {
        return inner.collective();
    }

    @Override
    public void start(Activity activity) {
        inner.start(activity);
    }

    @Override
    public boolean test(Activity activity) {
        return inner.test(activity);
    }

    @Override
    public void await(Activity activity) {
        inner.await(activity);
    }

    @Override
    public void await(LocalWait wait) {
        inner.await(wait);
    }

    @Override
    public int awaitAny(Activity[] activities, int count) {
        return inner.awaitAny(activities, count);
    }

    @Override
    public void run(Activity activity) {
        inner.run(activity);
    }

    @Override
    public void cancel(Transfer receive) {
        inner.cancel(receive);
    }

    @Override
    public boolean probe(Transfer pattern, boolean wait, boolean take) {
        return inner.probe(pattern, wait, take);
    }

    @Override
    public boolean outlives(Transfer send) {
        return inner.outlives(send);
    }

    @Override
    public @Nullable String unreceived() {
        return inner.unreceived();
    }

    @Override
    public MemorySegment allocate(long bytes) {
        return inner.allocate(bytes);
    }

    @Override
    public void leave() {
        inner.leave();
    }

    @Override
    public void abort(int code, String why) {
        inner.abort(code, why);
    }

    @Override
    public @Nullable RuntimeException poison() {
        return inner.poison();
    }
}
