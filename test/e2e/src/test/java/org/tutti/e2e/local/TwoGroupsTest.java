package org.tutti.e2e.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.tutti.mpi.Buf.buf;

import java.util.stream.Stream;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Group;
import org.tutti.mpi.Intercomm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Tutti;

/// Mistakes in calls between two groups (rank 0, and the other ranks): the job ends, and the text names ranks
/// by group.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TwoGroupsTest {
    private interface Body {
        void run(Intercomm both) throws Exception;
    }

    private static Intercomm both(Mpi mpi, OwnedComm half) {
        return half.intercomm(0, mpi.world(), mpi.world().rank() == 0 ? 1 : 0, 9);
    }

    private static Throwable job(int ranks, Body body0, Body otherBody) {
        return catchThrowable(() -> Tutti.local(ranks, mpi -> {
            boolean first = mpi.world().rank() == 0;
            OwnedComm half = mpi.world().split(first ? 0 : 1);
            (first ? body0 : otherBody).run(both(mpi, half));
            mpi.world().barrier();
        }));
    }

    private static AbstractStringAssert<?> mismatch(int ranks, Body body0, Body otherBody) {
        Throwable thrown = job(ranks, body0, otherBody);
        MpiException found = Stream.iterate(thrown, t -> t != null, Throwable::getCause)
                .filter(t -> t instanceof MpiException e && e.errorClass() == ErrorClass.ERR_MISMATCH)
                .map(MpiException.class::cast)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no ERR_MISMATCH in the causes", thrown));
        assertThat(found.scope()).isEqualTo(MpiException.Scope.JOB);
        return assertThat(found.getMessage());
    }

    @Test
    void callDiffersBetweenGroups() {
        mismatch(3, b -> b.bcast(buf(new int[3]), Comm.ROOT), b -> b.bcast(buf(new int[4]), 0))
                .contains(
                        "collective call 1 of WORLD.intercomm9 does not match: rank ",
                        " of the local group calls bcast(",
                        " of the remote group calls bcast(",
                        "(3 INT, root=rank 0 of the ",
                        "(4 INT, root=rank 0 of the ");
        mismatch(2, b -> b.allreduce(1, Op.SUM), Intercomm::barrier)
                .contains("rank 0 of the local group", "allreduce(1 INT, SUM)", "barrier()");
        mismatch(3, b -> b.allreduce(1, Op.SUM), b -> b.allreduce(1, Op.MAX)).contains("SUM", "MAX");
    }

    @Test
    void rootDiffersBetweenGroups() {
        mismatch(3, b -> b.bcast(buf(new int[3]), 1), b -> {
                    if (b.rank() == 0) b.bcast(buf(new int[3]), Comm.ROOT);
                    else b.bcast(Buf.NONE, Comm.PROC_NULL);
                })
                .contains("root=rank 0 of the ", "root=rank 1 of the ")
                .contains(
                        "; the root passes ROOT, the other ranks of this group PROC_NULL, and the other group the rank of"
                                + " the root");
    }

    @Test
    void lengthsAndTypesOfOneDirection() {
        mismatch(
                        2,
                        b -> b.allgather(buf(new int[2]), buf(new int[1])),
                        b -> b.allgather(buf(new int[1]), buf(new int[3])))
                .contains(
                        " does not match: in allgather(), rank 0 of the remote group sends 2 INT where rank 0 of the local"
                                + " group expects 3 INT");
        mismatch(
                        2,
                        b -> b.alltoall(buf(new int[1]), buf(new int[1])),
                        b -> b.alltoall(buf(new int[1]), buf(new float[1])))
                .contains("sends 1 INT where rank 0 of the local group expects 1 FLOAT");
    }

    @Test
    void unreceivedMessage() {
        assertThat(job(
                        3,
                        b -> {
                            b.send(buf(new int[3]), 1, 7);
                            b.barrier();
                        },
                        Intercomm::barrier))
                .hasMessageContaining("rank 2 of 3 failed")
                .hasMessageContaining("close: 1 message was never received: 3 INT from rank 0 of the remote group, tag"
                        + " 7, WORLD.intercomm9, sent at TwoGroupsTest.java:")
                .hasMessageContaining("; receive every message before close");
    }

    @Test
    void closedRankOfRemoteGroup() {
        assertThatThrownBy(() -> Tutti.local(2, mpi -> {
                    Intercomm both = both(mpi, mpi.world().split(mpi.world().rank()));
                    if (mpi.world().rank() == 0) both.recv(buf(new int[1]), 0, 5);
                }))
                .hasMessageContaining("recv: waits for rank 0 of the remote group, which has left the job by Mpi.close"
                        + " and sends no more messages (rank 0 of 1 and 1 remote, WORLD.intercomm9)");
        // the group of the caller has not left
        assertThatThrownBy(() -> Tutti.local(3, mpi -> {
                    Intercomm both = both(mpi, mpi.world().split(mpi.world().rank() == 0 ? 0 : 1));
                    if (mpi.world().rank() > 0) both.recv(buf(new int[1]));
                }))
                .hasMessageContaining(
                        "recv: waits for a message from any rank, but all other ranks have left the job by"
                                + " Mpi.close and send no more messages");
    }

    @Test
    void argumentsDifferWithinGroup() {
        mismatch(3, b -> b.merge(false), b -> b.merge(b.rank() == 0))
                .contains("merge: ranks of a group passed different values of high (this rank: ");
        mismatch(3, b -> b.create(b.group()), b -> b.create(b.rank() == 0 ? b.group() : Group.EMPTY))
                .contains("create: this rank passed Group [", " of the local group passed a different group");
    }
}
