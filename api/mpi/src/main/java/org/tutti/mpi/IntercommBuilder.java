package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.CreationKey;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// Creates intercommunicators: two leaders exchange groups and a key, each leader broadcasts the result in the
/// local group, and all ranks of the two groups create one communicator, which is identified by this key. An
/// [Intercomm] is a view of this communicator.
final class IntercommBuilder {
    private IntercommBuilder() {}

    /// The result of the leaders' exchange: the remote group, the common name of the intercommunicator, and the
    /// key that one of the leaders has created ([EngineCalls#drawKey]).
    record Met(int[] ranks, String name, CreationKey key) {
        Object asObject() {
            return new Object[] {ranks, name, key.process(), key.number()};
        }

        static Met of(@Nullable Object object) {
            if (object instanceof Object[] o
                    && o[0] instanceof int[] ranks
                    && o[1] instanceof String name
                    && o[2] instanceof Integer process
                    && o[3] instanceof Long number) {
                return new Met(ranks, name, new CreationKey(process, number));
            }
            throw new IllegalStateException("intercomm: unexpected data from the leader: " + object);
        }
    }

    static void checkLeader(CommHandle local, String what, int leader) {
        if (leader >= 0 && leader < local.port.peerSize()) return;
        throw MpiException.argument(
                ErrorClass.ERR_RANK,
                "intercomm",
                what + "=" + leader + " is not a rank of " + local.name() + ", which has ranks 0 to "
                        + (local.port.peerSize() - 1),
                local.port);
    }

    /// Called by the leaders, which exchange the processes of the groups. The leader with the lower process
    /// number provides the key. The tag cannot be used as the key, because a tag is unique only in the peer
    /// communicator.
    static Met meet(Comm local, @Nullable Communicator to, int remoteLeader, int tag) {
        if (to == null) {
            throw MpiException.argument(
                    ErrorClass.ERR_COMM,
                    "intercomm",
                    "peer is null on the local leader; pass a communicator that the other leader is in",
                    local.port);
        }
        CommHandle peer = (CommHandle) to;
        EngineCalls engine = peer.begin("intercomm");
        if (peer.mpi.realm != local.mpi.realm) {
            throw MpiException.argument(
                    ErrorClass.ERR_COMM,
                    "intercomm",
                    "only one of " + local.name() + " and peer " + peer.name()
                            + " connects this job with a different job;" + " pass two communicators of the same job",
                    local.port);
        }
        checkLeader(peer, "remoteLeader", remoteLeader);
        int[] mine = local.group().processes();
        CreationKey own = engine.drawKey();
        int[] header = new int[3];
        exchange(
                engine,
                peer.port,
                remoteLeader,
                tag,
                new int[] {mine.length, own.process(), (int) own.number()},
                header);
        int[] theirs = new int[header[0]];
        exchange(engine, peer.port, remoteLeader, tag, mine, theirs);
        CreationKey key = own.process() < header[1] ? own : new CreationKey(header[1], header[2]);
        return new Met(theirs, peer.name() + ".intercomm" + tag, key);
    }

    private static void exchange(EngineCalls engine, CommPort peer, int leader, int tag, int[] mine, int[] theirs) {
        Transfer in = message(engine, peer, Transfer.Kind.RECV, leader, tag, theirs);
        engine.start(in);
        Transfer out = message(engine, peer, Transfer.Kind.SEND, leader, tag, mine);
        engine.run(out);
        EngineCalls.throwFailure(out);
        engine.await(in);
        EngineCalls.throwFailure(in);
    }

    private static Transfer message(
            EngineCalls engine, CommPort peer, Transfer.Kind kind, int leader, int tag, int[] ranks) {
        Transfer t = engine.transfer().fill("intercomm", peer, kind, leader, tag, ElementType.INT);
        t.within(Transfer.Lane.MAKING, t.peer, null);
        Memory memory = Memory.of(MemorySegment.ofArray(ranks));
        return t.at(memory, 0, memory.segment().byteSize());
    }

    /// Creates the communicator of the two groups. Called by all ranks. The group whose first process has the
    /// lower number is first.
    static Intercomm create(Mpi mpi, String operation, Group local, Group remote, CreationKey key, String name) {
        Group common = local.intersection(remote);
        if (common.size() > 0) {
            throw MpiException.argument(
                    ErrorClass.ERR_GROUP,
                    operation,
                    "the local group, " + local + ", and the remote group, " + remote + ", have common ranks: "
                            + common,
                    mpi.where());
        }
        boolean localFirst = local.processes()[0] < remote.processes()[0];
        Group first = localFirst ? local : remote;
        Group union = first.union(localFirst ? remote : local);
        EngineCalls engine = mpi.engine(operation);
        CommPort made = engine.createOfProcesses(operation, union.processes(), key);
        return Intercomm.of(mpi, made, first.size(), name);
    }

    /// Collects two numbers from every rank of `port`, regardless of the rank's group.
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
        if (why != null) throw MpiException.asRuntime(why);
        return all;
    }
}
