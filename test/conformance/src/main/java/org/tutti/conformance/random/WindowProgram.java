package org.tutti.conformance.random;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.tutti.conformance.trial.Check;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Group;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Window;
import org.tutti.mpi.Window.LockType;

/// A random legal program of one-sided communication, checked against a model that executes the accesses
/// sequentially.
///
/// All ranks draw the same program. The memory of each target is divided into regions. In each epoch a region
/// has one role, so that the result does not depend on the order of the accesses: see [RegionRole]. After each
/// epoch every rank compares the memory with the model, byte by byte, and checks the results of all accesses.
final class WindowProgram {
    static final int EPOCHS = 6;

    private static final int MOST_REGIONS = 6;

    /// The synchronization of an epoch.
    private enum Kind {
        FENCE,
        GROUPS,
        LOCK,
        LOCK_ALL
    }

    private static final List<Window.Flavor> FLAVORS =
            List.of(Window.Flavor.ALLOCATE, Window.Flavor.SHARED, Window.Flavor.CREATE);

    private final int epochs;
    private final Comm comm;
    private final SplittableRandom shared;
    private final SplittableRandom own;
    private final int[] units;
    private final byte[][] model;
    private final Window.Flavor flavor;

    /// The memory for a window over memory of the program.
    private final byte[] memory;

    private String where = "the start";

    WindowProgram(Comm comm, long seed, int epochs) {
        this.epochs = epochs;
        this.comm = comm;
        shared = new SplittableRandom(seed);
        own = new SplittableRandom(seed * 31 + comm.rank());
        units = new int[comm.size()];
        model = new byte[comm.size()][];
        for (int r = 0; r < comm.size(); r++) {
            units[r] = 1 << shared.nextInt(4);
            model[r] = new byte[shared.nextInt(MOST_REGIONS + 1) * RegionRole.BYTES];
        }
        flavor = FLAVORS.get(shared.nextInt(FLAVORS.size()));
        memory = new byte[model[comm.rank()].length];
    }

    String where() {
        return where;
    }

    /// Returns a window of the drawn flavor, or an allocated window if the ranks cannot share memory.
    private Window window(int unit) {
        try {
            return switch (flavor) {
                case ALLOCATE -> Window.allocate(comm, memory.length, unit);
                case SHARED -> Window.shared(comm, memory.length, unit);
                case DYNAMIC -> throw new IllegalStateException("was not to be drawn");
                case CREATE -> Window.of(comm, Buf.buf(memory), unit);
            };
        } catch (MpiException e) {
            if (e.errorClass() != ErrorClass.ERR_RMA_SHARED) throw e;
            return Window.allocate(comm, memory.length, unit);
        }
    }

    void run() {
        int me = comm.rank();
        try (Window w = window(units[me])) {
            for (int e = 0; e < epochs; e++) {
                Kind kind = Kind.values()[shared.nextInt(Kind.values().length)];
                where = "epoch " + e + " " + kind;
                List<RegionRole> roles = roles();
                epoch(w, kind, roles);
                for (RegionRole role : roles) role.apply(model[role.target()]);
                compare(w);
                comm.barrier();
            }
        }
    }

    private List<RegionRole> roles() {
        List<RegionRole> roles = new ArrayList<>();
        for (int t = 0; t < model.length; t++) {
            for (int at = 0; at < model[t].length; at += RegionRole.BYTES) {
                roles.add(RegionRole.random(shared.split(), comm.size(), t, at, units[t], model[t]));
            }
        }
        return roles;
    }

    private void epoch(Window w, Kind kind, List<RegionRole> roles) {
        int me = comm.rank();
        int[] targets = IntStream.range(0, comm.size())
                .filter(t -> roles.stream().anyMatch(r -> r.target() == t && r.has(me)))
                .toArray();
        switch (kind) {
            case FENCE -> {
                w.fence();
                for (int t : targets) access(w, roles, t, false);
                w.fence(Window.Assert.NOSUCCEED);
            }
            case GROUPS -> {
                Group all = w.group();
                int[] origins = IntStream.range(0, comm.size())
                        .filter(o -> roles.stream().anyMatch(r -> r.target() == me && r.has(o)))
                        .toArray();
                w.post(all.incl(origins));
                w.start(all.incl(targets));
                for (int t : targets) access(w, roles, t, false);
                w.complete();
                if (own.nextBoolean()) w.await();
                else while (!w.test()) Thread.onSpinWait();
                // the targets check the memory only after the accesses of all origins
                comm.barrier();
            }
            case LOCK -> {
                for (int t : shuffled(targets)) {
                    w.lock(t, own.nextBoolean() ? LockType.SHARED : LockType.EXCLUSIVE);
                    access(w, roles, t, true);
                    w.unlock(t);
                }
                comm.barrier();
            }
            case LOCK_ALL -> {
                w.lockAll();
                for (int t : shuffled(targets)) access(w, roles, t, true);
                if (own.nextBoolean()) w.flushAll();
                w.unlockAll();
                comm.barrier();
            }
        }
    }

    private void access(Window w, List<RegionRole> roles, int target, boolean passive) {
        for (RegionRole role : roles) {
            if (role.target() == target && role.has(comm.rank())) role.run(w, comm.rank(), own, passive);
        }
    }

    private int[] shuffled(int[] ranks) {
        int[] order = ranks.clone();
        for (int i = order.length - 1; i > 0; i--) {
            int j = own.nextInt(i + 1), x = order[i];
            order[i] = order[j];
            order[j] = x;
        }
        return order;
    }

    /// Compares this rank's memory with the model, and for a shared window the memory of all ranks.
    private void compare(Window w) {
        w.lockAll();
        w.sync();
        for (int r = 0; r < model.length; r++) {
            if (r != comm.rank() && w.flavor() != Window.Flavor.SHARED) continue;
            boolean isOwn = w.flavor() == Window.Flavor.CREATE;
            byte[] is = isOwn ? memory : w.memory(r).toArray(ValueLayout.JAVA_BYTE);
            int differs = Arrays.mismatch(model[r], is);
            Check.that(differs < 0, "memory of rank " + r + " differs at byte " + differs + " after " + where);
        }
        w.unlockAll();
        int other = own.nextInt(model.length);
        MemorySegment got = MemorySegment.ofArray(new byte[model[other].length]);
        w.lock(other, LockType.SHARED);
        w.get(buf(got), other);
        w.unlock(other);
        Check.that(
                MemorySegment.ofArray(model[other]).mismatch(got) < 0,
                "data from rank " + other + " differs after " + where);
    }
}
