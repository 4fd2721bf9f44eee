package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// How intercommunicators come into being: two leaders tell each other who their groups are, and all ranks of
/// both make one communicator, which an [Intercomm] is a view of.
final class IntercommBuilder {
    private IntercommBuilder() {}

    /// What a leader has heard of the other one, and the name that both sides give the intercommunicator.
    record Met(int[] ranks, String name) {
        Object asObject() {
            return new Object[] {ranks, name};
        }

        static Met of(@Nullable Object object) {
            if (object instanceof Object[] o && o[0] instanceof int[] ranks && o[1] instanceof String name) {
                return new Met(ranks, name);
            }
            throw new IllegalStateException("intercomm: the leader told " + object);
        }
    }

    static void checkLeader(Comm local, String what, int leader) {
        if (leader >= 0 && leader < local.port.peerSize()) return;
        throw MpiException.argument(
                ErrorClass.ERR_RANK,
                "intercomm",
                what + "=" + leader + " is no rank of " + local.name() + ", which has ranks 0 to "
                        + (local.port.peerSize() - 1),
                local.port);
    }

    /// Of the leaders: each tells the other one the processes of its group.
    static Met meet(Comm local, @Nullable Comm peer, int remoteLeader, int tag) {
        if (peer == null) {
            throw MpiException.argument(
                    ErrorClass.ERR_COMM,
                    "intercomm",
                    "peer is null on the local leader; pass a communicator that the other leader is in",
                    local.port);
        }
        EngineCalls engine = peer.begin("intercomm");
        if (peer.mpi.realm != local.mpi.realm) {
            throw MpiException.argument(
                    ErrorClass.ERR_COMM,
                    "intercomm",
                    "of " + local.name() + " and its peer " + peer.name() + " one connects this job with another one;"
                            + " pass communicators that were made of one",
                    local.port);
        }
        checkLeader(peer, "remoteLeader", remoteLeader);
        int[] mine = local.group().processes();
        int[] count = new int[1];
        exchange(engine, peer.port, remoteLeader, tag, new int[] {mine.length}, count);
        int[] theirs = new int[count[0]];
        exchange(engine, peer.port, remoteLeader, tag, mine, theirs);
        return new Met(theirs, peer.name() + ".intercomm" + tag);
    }

    private static void exchange(EngineCalls engine, CommPort peer, int leader, int tag, int[] mine, int[] theirs) {
        Transfer in = message(engine, peer, Transfer.Kind.RECV, leader, tag, theirs);
        engine.start(in);
        Transfer out = message(engine, peer, Transfer.Kind.SEND, leader, tag, mine);
        engine.run(out);
        CommHandle.throwFailure(out);
        engine.await(in);
        CommHandle.throwFailure(in);
    }

    private static Transfer message(
            EngineCalls engine, CommPort peer, Transfer.Kind kind, int leader, int tag, int[] ranks) {
        Transfer t = engine.transfer().fill("intercomm", peer, kind, leader, tag, ElementType.INT);
        t.within(Transfer.Lane.MAKING, t.peer, null);
        Memory memory = Memory.of(MemorySegment.ofArray(ranks));
        return t.at(memory, 0, memory.segment().byteSize());
    }

    /// Makes the communicator of both groups, first the one whose first process is the lower one; all their
    /// ranks call it.
    static Intercomm create(Mpi mpi, String operation, Group local, Group remote, int tag, String name) {
        Group common = local.intersection(remote);
        if (common.size() > 0) {
            throw MpiException.argument(
                    ErrorClass.ERR_GROUP,
                    operation,
                    "the local group, " + local + ", and the remote one, " + remote + ", have ranks in common: "
                            + common,
                    mpi.where());
        }
        boolean localFirst = local.processes()[0] < remote.processes()[0];
        Group first = localFirst ? local : remote;
        Group union = first.union(localFirst ? remote : local);
        EngineCalls engine = mpi.engine(operation);
        CommPort made = engine.createOfProcesses(union.processes(), tag);
        return Intercomm.of(mpi, made, first.size(), name);
    }

    /// Two numbers of every rank of the port, whatever group it is in.
    static long[] allgather(Mpi mpi, EngineCalls engine, String operation, CommPort port, long one, long other) {
        long[] all = new long[2 * port.size()];
        Collective c = mpi.scratch().collective();
        c.fill(operation, port, Collective.Kind.ALLGATHER, 0).withinAll();
        c.send.memory = Memory.of(MemorySegment.ofArray(new long[] {one, other}));
        c.recv.memory = Memory.of(MemorySegment.ofArray(all));
        c.send.type = ElementType.LONG;
        c.recv.type = ElementType.LONG;
        c.send.count = 2;
        c.recv.count = 2;
        engine.run(c);
        Throwable why = c.failure();
        if (why != null) throw Mpi.asRuntime(why);
        return all;
    }
}
