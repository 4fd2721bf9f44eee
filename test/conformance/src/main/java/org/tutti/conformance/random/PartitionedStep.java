package org.tutti.conformance.random;

import static org.tutti.mpi.Buf.buf;

import org.tutti.conformance.trial.Check;
import org.tutti.mpi.PartitionedReceive;
import org.tutti.mpi.PartitionedSend;

/// Partitioned messages around a ring. The sender chooses the order in which partitions become ready.
final class PartitionedStep {
    private static final int TAG = 40;

    private final Step step;

    PartitionedStep(Step step) {
        this.step = step;
    }

    private long value(int rank, int round, int i) {
        return step.seed() + 1_000_003L * rank + 7_919L * round + i;
    }

    void run() {
        int me = step.me(), n = step.size(), right = (me + 1) % n, left = (me + n - 1) % n;
        int sent = step.shared().nextInt(1, 7), received = step.shared().nextInt(1, 7);
        int count = sent * received * step.shared().nextInt(0, 300);
        int rounds = step.shared().nextInt(1, 4);
        long[] out = new long[count], in = new long[count];
        try (PartitionedSend send = step.comm().psendInit(buf(out), sent, right, TAG);
                PartitionedReceive receive = step.comm().precvInit(buf(in), received, left, TAG)) {
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < count; i++) out[i] = value(me, round, i);
                if (step.own().nextBoolean()) {
                    send.start();
                    receive.start();
                } else {
                    receive.start();
                    send.start();
                }
                for (int part : step.order(sent)) send.pready(part);
                receive.await();
                send.await();
                for (int i = 0; i < count; i++) Check.same(value(left, round, i), in[i], "element in parts ", i);
            }
        }
    }
}
