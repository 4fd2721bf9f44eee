package org.tutti.shm;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.progress.JobFailure;
import org.tutti.shm.progress.Progress;
import org.tutti.shm.slots.CollectiveSlots;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.Communicators;
import org.tutti.spi.CreationKey;
import org.tutti.spi.Engine;
import org.tutti.spi.Transfer;

/// The communicators of a rank.
final class ShmCommunicators implements Communicators {
    private final Engine engine;
    private final Progress progress;
    private final Place place;
    private final ShmPort world;
    private final ShmPort self;
    private final ContextIds ids;
    private final SplitByAllgather splitter;
    private final CreateGroupByLeader groups;

    ShmCommunicators(Engine engine, Progress progress, JobFailure failure, Place place) {
        this.engine = engine;
        this.progress = progress;
        this.place = place;
        world = port(place.rank(), place.world(), ContextIds.WORLD, "WORLD");
        if (place.size() > 1) world.slots(progress.slotAreas().ofWorld(world));
        self = port(0, new int[] {place.process()}, ContextIds.SELF, "SELF");
        ids = new ContextIds(place.process());
        splitter = new SplitByAllgather(engine, this, ids);
        groups = new CreateGroupByLeader(engine, this, ids, failure);
    }

    /// Creates a communicator of these processes, in which this process has the rank `rank`.
    ShmPort port(int rank, int[] processes, long context, String name) {
        ShmPort made = new ShmPort(place, rank, processes, context, name);
        progress.lock().lock();
        try {
            progress.name(context, made);
            progress.name(made.context(Transfer.Lane.COLLECTIVE), made);
            progress.name(made.context(Transfer.Lane.PARTITIONED), made);
        } finally {
            progress.lock().unlock();
        }
        return made;
    }

    /// Returns an area for this rank's slots on a new communicator.
    long slotArea(long mark) {
        progress.lock().lock();
        try {
            return progress.slotAreas().area(mark);
        } finally {
            progress.lock().unlock();
        }
    }

    /// Creates the slots of a new communicator. The ranks have exchanged the offsets of the areas.
    void slots(ShmPort port, long[] areas, long[] marks) {
        progress.lock().lock();
        try {
            port.slots(progress.slotAreas().of(port, areas, marks));
        } finally {
            progress.lock().unlock();
        }
    }

    @Override
    public CommPort world() {
        return world;
    }

    @Override
    public CommPort self() {
        return self;
    }

    @Override
    public @Nullable CommPort split(CommPort parent, int color, int key) {
        return splitter.split((ShmPort) parent, color, key, "split");
    }

    @Override
    public CommPort dup(String operation, CommPort parent) {
        CommPort all = splitter.split((ShmPort) parent, 0, parent.rank(), operation);
        if (all == null) throw new IllegalStateException(operation + " of " + parent + " has no result");
        return all;
    }

    @Override
    public Collective startDup(CommPort parent) {
        Collective call = splitter.exchange((ShmPort) parent, 0, parent.rank(), "idup");
        call.form = Collective.Form.NONBLOCKING;
        engine.start(call);
        return call;
    }

    @Override
    public CommPort finishDup(Collective done) {
        CommPort made = splitter.made(done, 0);
        if (made == null) throw new IllegalStateException("idup of " + done.port() + " has no result");
        return made;
    }

    @Override
    public @Nullable CommPort splitShared(CommPort parent, int color, int key) {
        // all ranks of this engine are on one machine
        return splitter.split((ShmPort) parent, color, key, "splitType");
    }

    @Override
    public CommPort createGroup(CommPort parent, int[] ranks, int tag) {
        return groups.create((ShmPort) parent, ranks, tag);
    }

    @Override
    public CommPort createOfProcesses(String operation, int[] processes, CreationKey key) {
        // The key selects the context in which the members exchange messages, so creations with different keys
        // never share a context.
        long context = ContextIds.of(key);
        int[] worldRanks = Arrays.stream(processes).map(place::worldRank).toArray();
        try {
            if (Arrays.stream(worldRanks).allMatch(r -> r >= 0)) {
                ShmPort parent = new ShmPort(place, place.rank(), place.world(), context, "WORLD");
                return groups.create(parent, worldRanks, 0);
            }
            // the parent is a virtual communicator of all processes of the job, with process numbers as ranks
            int most = Arrays.stream(processes).max().orElseThrow();
            return groups.create(allProcesses(most + 1, context), processes, 0);
        } finally {
            free(context + ShmPort.MAKING);
        }
    }

    private void free(long laneContext) {
        progress.lock().lock();
        try {
            progress.free(laneContext);
        } finally {
            progress.lock().unlock();
        }
    }

    /// Returns a communicator of the first `count` processes of the job, with process numbers as ranks.
    ShmPort allProcesses(int count, long context) {
        return new ShmPort(place, place.process(), IntStream.range(0, count).toArray(), context, "WORLD");
    }

    /// Returns a context that this process has never used.
    long newContext() {
        return ids.draw();
    }

    @Override
    public void free(CommPort port) {
        ShmPort p = (ShmPort) port;
        if (port.size() == 0) return;
        progress.lock().lock();
        try {
            progress.free(p.context(Transfer.Lane.USER));
            progress.free(p.context(Transfer.Lane.COLLECTIVE));
            progress.free(p.context(Transfer.Lane.MAKING));
            progress.free(p.context(Transfer.Lane.PARTITIONED));
            CollectiveSlots slots = p.slots();
            if (slots != null) progress.slotAreas().close(slots);
        } finally {
            progress.lock().unlock();
        }
    }
}
