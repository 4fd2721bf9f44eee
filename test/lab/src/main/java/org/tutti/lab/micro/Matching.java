package org.tutti.lab.micro;

import org.openjdk.jmh.annotations.Benchmark;
import org.tutti.shm.match.Arrival;
import org.tutti.shm.match.Matcher;
import org.tutti.shm.match.ShmTransfer;

/// A message matches a receive, which is posted before or after the message arrives.
public class Matching extends PieceCopy {
    private static final long CONTEXT = 5;

    private final Matcher matcher = new Matcher();
    private final ShmTransfer receive = new ShmTransfer();

    @Benchmark
    public Object receiveFirst() {
        matcher.context(CONTEXT).post(receive);
        return matcher.context(CONTEXT).takePosted(0, 0);
    }

    @Benchmark
    public Object messageFirst() {
        Arrival a = matcher.take();
        matcher.context(CONTEXT).keep(a);
        Arrival found = matcher.context(CONTEXT).takeArrival(receive);
        matcher.giveBack(a);
        return found;
    }
}
