package org.tutti.lab.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZJ_Result;
import org.tutti.spi.Transfer;

/// The engine stores results and then completes the operation. The caller reads the results after completion.
@JCStressTest
@Outcome(id = "false, 0", expect = Expect.ACCEPTABLE, desc = "not done")
@Outcome(id = "true, 7", expect = Expect.ACCEPTABLE, desc = "done, with the result")
@Outcome(expect = Expect.FORBIDDEN, desc = "done without the result")
@State
public class DoneMeansResults {
    private final Transfer transfer = new Transfer() {};

    public DoneMeansResults() {
        transfer.begin();
    }

    @Actor
    public void engine() {
        transfer.receivedBytes = 7;
        transfer.complete();
    }

    @Actor
    public void caller(ZJ_Result r) {
        r.r1 = transfer.isDone();
        if (r.r1) r.r2 = transfer.receivedBytes;
    }
}
