package org.tutti.conformance.random;

import org.tutti.conformance.trial.Box;
import org.tutti.conformance.trial.Plain;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;
import org.tutti.mpi.PersistentRequest;

/// Persistent messages around a ring and a persistent collective call, started several times with different
/// values.
final class PersistentStep {
    private static final int TAG = 6000;

    private final Step step;
    private final Comm comm;

    PersistentStep(Step step) {
        this.step = step;
        comm = step.comm();
    }

    void run() {
        int me = step.me();
        int n = step.size();
        Datatype type = step.type();
        int count = step.count();
        int right = (me + 1) % n;
        int left = (me + n - 1) % n;
        int rounds = step.shared().nextInt(1, 5);
        Box out = step.box(type, count);
        Box in = step.box(type, count);
        Box operand = step.box(type, count);
        Box result = step.box(type, count);
        try (PersistentRequest send = step.own().nextBoolean()
                        ? comm.sendInit(out.buf(), right, TAG)
                        : comm.ssendInit(out.buf(), right, TAG);
                PersistentRequest receive = comm.recvInit(in.buf(), left, TAG);
                PersistentRequest call = comm.allreduceInit(operand.buf(), result.buf(), Op.SUM)) {
            for (int round = 0; round < rounds; round++) {
                long salt = step.seed() + round;
                out.fill(i -> Plain.value(type, salt, me, i));
                operand.fill(i -> Plain.value(type, salt, me, i));
                call.start();
                if (step.own().nextBoolean()) {
                    receive.start();
                    send.start();
                } else {
                    send.start();
                    receive.start();
                }
                call.await();
                receive.await();
                send.await();
                in.expect(i -> Plain.value(type, salt, left, i), "persistent ring, round " + round);
                result.expect(i -> Plain.reduced(type, Op.SUM, salt, n, i), "persistent allreduce, round " + round);
            }
        }
    }
}
