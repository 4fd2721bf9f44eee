package org.tutti.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.spi.Collective;
import org.tutti.mpi.spi.Engine;
import org.tutti.mpi.spi.Memory;
import org.tutti.mpi.spi.Transfer;

/// Engines of one job, each called step by step: so a rank stands at one exact place for as long as a test likes.
class ShmEngineTest {
    private static List<ShmEngine> engines(int size) {
        return new ShmProvider()
                .openLocal(size).stream().map(ShmEngine.class::cast).toList();
    }

    private static Collective reduceToZero(Engine engine, long value) {
        Collective call = engine.collective().fill("reduce", engine.world(), Collective.Kind.REDUCE, 0);
        call.send = Memory.of(MemorySegment.ofArray(new long[] {value}));
        call.recv = Memory.of(MemorySegment.ofArray(new long[1]));
        call.type = Datatype.LONG;
        call.count = 1;
        call.op = Op.SUM;
        return call;
    }

    /// The root finds what rank 1 has posted before it left only when it asks why it waits.
    @Test
    void aRankThatPostedItsCallAndLeftIsNotWaitedFor() {
        List<ShmEngine> ranks = engines(3);
        Collective root = reduceToZero(ranks.get(0), 1);
        ranks.get(0).start(root);
        ranks.get(1).run(reduceToZero(ranks.get(1), 10));
        ranks.get(1).leave();
        ranks.get(0).checkPeer(root);
        assertThat(root.isDone()).as("without rank 2").isFalse();
        ranks.get(2).run(reduceToZero(ranks.get(2), 100));
        ranks.get(2).leave();
        ranks.get(0).await(root);
        assertThat(root.recv.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(111);
    }

    @Test
    void aRankThatLeftWithoutItsCallIsNeverWaitedFor() {
        List<ShmEngine> ranks = engines(3);
        Collective root = reduceToZero(ranks.get(0), 1);
        ranks.get(0).start(root);
        ranks.get(1).leave();
        assertThatThrownBy(() -> ranks.get(0).checkPeer(root))
                .isInstanceOfSatisfying(
                        MpiException.class, e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.ERR_PROC_FAILED))
                .hasMessage("reduce: waits for rank 1, which has left the job by Mpi.close and sends nothing more"
                        + " (rank 0 of 3, WORLD)");
    }

    private static Transfer send(Engine engine, int to, long value) {
        MemorySegment word = MemorySegment.ofArray(new long[] {value});
        return engine.transfer()
                .fill("send", engine.world(), Transfer.Kind.SEND, to, 0, Datatype.LONG)
                .at(Memory.of(word), 0, Long.BYTES);
    }

    private static Transfer receive(Engine engine, int from) {
        return engine.transfer()
                .fill("recv", engine.world(), Transfer.Kind.RECV, from, 0, Datatype.LONG)
                .at(Memory.of(MemorySegment.ofArray(new long[1])), 0, Long.BYTES);
    }

    /// A first message makes its ring, and an allocation takes memory: both write to the job's file.
    @Test
    void anInterruptedThreadGetsMemoryAsAnyOther() {
        List<ShmEngine> ranks = engines(2);
        Thread.currentThread().interrupt();
        ranks.get(0).run(send(ranks.get(0), 1, 42));
        assertThat(ranks.get(0).allocate(1 << 20).byteSize()).isEqualTo(1 << 20);
        assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
        Transfer received = receive(ranks.get(1), 0);
        ranks.get(1).run(received);
        assertThat(received.memory.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
        ranks.get(1).allocate(1 << 20);
    }
}
