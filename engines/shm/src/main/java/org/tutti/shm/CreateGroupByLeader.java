package org.tutti.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.tutti.shm.progress.JobFailure;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.Memory;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// Creates a communicator of some ranks of a parent. The first rank generates a context id and sends this id to
/// the other ranks, in a context reserved for such messages, with the caller's tag. Therefore creations by
/// groups without a common rank, and by threads with different tags, do not interfere. The message also
/// identifies the group.
final class CreateGroupByLeader {
    private static final String OPERATION = "createGroup";

    /// The index of each long in a message, and the number of longs.
    private static final int CONTEXT = 0, MEMBERS = 1, HASH = 2, LONGS = 3;

    private final Engine engine;
    private final ShmCommunicators communicators;
    private final ContextIds ids;
    private final JobFailure failure;

    CreateGroupByLeader(Engine engine, ShmCommunicators communicators, ContextIds ids, JobFailure failure) {
        this.engine = engine;
        this.communicators = communicators;
        this.ids = ids;
        this.failure = failure;
    }

    /// @param ranks the ranks of `parent` in the new order, including the caller
    ShmPort create(ShmPort parent, int[] ranks, int tag) {
        MemorySegment message = MemorySegment.ofArray(new long[LONGS]);
        if (ranks[0] == parent.rank()) {
            message.setAtIndex(JAVA_LONG, CONTEXT, ids.draw());
            message.setAtIndex(JAVA_LONG, MEMBERS, ranks.length);
            message.setAtIndex(JAVA_LONG, HASH, Arrays.hashCode(ranks));
            sendAll(parent, ranks, tag, message);
        } else {
            move(parent, Transfer.Kind.RECV, ranks[0], tag, message);
            checkSame(parent, ranks, message);
        }
        int place = 0;
        while (ranks[place] != parent.rank()) place++;
        int[] processes = Arrays.stream(ranks).map(parent::process).toArray();
        return communicators.port(place, processes, message.getAtIndex(JAVA_LONG, CONTEXT), parent.name());
    }

    /// Sends the message to all ranks, even if a rank has died, because each rank waits for the message.
    private void sendAll(ShmPort parent, int[] ranks, int tag, MemorySegment message) {
        RuntimeException first = null;
        for (int i = 1; i < ranks.length; i++) {
            try {
                move(parent, Transfer.Kind.SEND, ranks[i], tag, message);
            } catch (RuntimeException e) {
                if (first == null) first = e;
            }
        }
        if (first != null) throw first;
    }

    private void move(ShmPort parent, Transfer.Kind kind, int peer, int tag, MemorySegment message) {
        Transfer t = engine.transfer().fill(OPERATION, parent, kind, peer, tag, ElementType.LONG);
        t.within(Transfer.Lane.MAKING, peer, null);
        engine.run(t.at(Memory.of(message), 0, message.byteSize()));
        Throwable why = t.failure();
        if (why instanceof RuntimeException e) throw e;
        if (why != null) throw new IllegalStateException(why);
    }

    private void checkSame(ShmPort parent, int[] ranks, MemorySegment message) {
        long members = message.getAtIndex(JAVA_LONG, MEMBERS);
        if (members == ranks.length && message.getAtIndex(JAVA_LONG, HASH) == Arrays.hashCode(ranks)) return;
        Fault differ = Fault.job(
                PredefinedErrorClass.ERR_MISMATCH,
                OPERATION,
                "this rank passed the group of ranks " + Arrays.toString(ranks) + ", but rank " + ranks[0]
                        + ", the first of the group, passed a different one of " + members
                        + " ranks; all members must pass the same group",
                parent);
        failure.report(differ);
        throw differ;
    }
}
