package org.tutti.conformance.contract.message;

import static org.tutti.mpi.Buf.buf;

import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Status;

/// MPI 4.1, section 3.8.1.
public final class ProbeContract {
    private ProbeContract() {}

    @Contract
    public static void probeReturnsSourceTagAndLength(Trial t) {
        for (int count : new int[] {0, 1, 60_000}) {
            try (var requests = t.mpi().requests()) {
                requests.add(t.world().isend(buf(new double[count]), t.right(), 8));
                for (int again = 0; again < 2; again++) {
                    Status s = t.world().probe(Comm.ANY_SOURCE, Comm.ANY_TAG);
                    Check.same(t.left(), s.source(), "source");
                    Check.same(8, s.tag(), "tag");
                    Check.same(8L * count, s.sizeBytes(), "sizeBytes");
                }
                double[] in = new double[count];
                Check.same(count, t.world().recv(buf(in), t.left(), 8).count(), "count of the receive");
                requests.awaitAll();
            }
            t.world().barrier();
        }
    }

    @Contract
    public static void iprobeReturnsNullWithoutAMessage(Trial t) {
        Check.that(t.world().iprobe(Comm.ANY_SOURCE, Comm.ANY_TAG) == null, "iprobe returns a message before any send");
        t.world().barrier();
        var send = t.world().isend(buf(new int[] {1}), t.right(), 3);
        Status s;
        do s = t.world().iprobe(t.left(), 3);
        while (s == null);
        Check.same(4, s.sizeBytes(), "sizeBytes");
        Check.that(t.world().iprobe(t.left(), 4) == null, "iprobe returns a message with a different tag");
        Check.that(t.mpi().self().iprobe(0, 3) == null, "iprobe returns a message of a different communicator");
        t.world().recv(buf(new int[1]), t.left(), 3);
        send.await();
        Check.that(t.world().iprobe(Comm.ANY_SOURCE, Comm.ANY_TAG) == null, "iprobe returns a received message");
        t.world().barrier();
    }

    /// [Comm#probe] returns the length of the message that the next receive returns.
    @Contract(minRanks = 2)
    public static void lengthsUnknownToTheReceiver(Trial t) {
        int messages = 30;
        if (t.rank() != 0) {
            for (int i = 0; i < messages; i++) t.world().send(buf(new int[i * t.rank()]), 0, i);
            return;
        }
        for (int i = 0; i < messages * (t.size() - 1); i++) {
            Status s = t.world().probe(Comm.ANY_SOURCE, Comm.ANY_TAG);
            int[] in = new int[(int) s.sizeBytes() / 4];
            Status got = t.world().recv(buf(in), s.source(), s.tag());
            Check.same(in.length, got.count(), "count");
            Check.same((long) s.source() * s.tag(), got.count(), "count by source and tag");
        }
    }

    @Contract(minRanks = 2)
    public static void probeWaitsForADelayedMessage(Trial t) throws InterruptedException {
        if (t.rank() == 0) {
            Thread.sleep(150);
            for (int r = 1; r < t.size(); r++) t.world().send(buf(new byte[r]), r, r);
        } else {
            Status s = t.world().probe(0, t.rank());
            Check.same(t.rank(), s.sizeBytes(), "sizeBytes");
            t.world().recv(buf(new byte[t.rank()]), 0);
        }
    }
}
