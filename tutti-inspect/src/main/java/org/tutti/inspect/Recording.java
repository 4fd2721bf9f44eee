package org.tutti.inspect;

import org.tutti.job.FlightRing;
import org.tutti.job.JobFile;
import org.tutti.job.JobStatus;
import org.tutti.job.RankEnvironment;
import org.tutti.job.RankProcess;
import org.tutti.job.WaitTeller;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.Interceptor;

/// Puts the recorder around every engine of a job that somebody watches.
public final class Recording implements Interceptor {
    @Override
    public int layer() {
        return 100;
    }

    @Override
    public Engine around(Engine engine, RankEnvironment place, RankProcess life) {
        boolean always = RankEnvironment.checks(), untyped = engine.name().equals(RankEnvironment.NATIVE);
        // the shm engine compares calls by every message of its own, and tells what it waits for; programs of other
        // languages tell nothing
        boolean asks = untyped && place.javaRanks() == null;
        Engine checked = asks ? new Checker(engine, always) : engine;
        JobFile file = life.jobFile();
        JobStatus board = life.board();
        WaitTeller teller = life.waits();
        CommPort world = engine.world();
        boolean isAlone = board == null && teller == null;
        if (isAlone && !untyped) return engine;
        OwnBoard own = isAlone && asks ? OwnBoard.make(engine, life) : null;
        if (own != null) {
            file = own.file();
            board = own.board();
            teller = board.waits(world.rank());
        }
        FlightRing ring =
                file == null || board == null ? FlightRing.ofThisProcess() : FlightRing.of(file, world.rank());
        Callers callers = new Callers(ring);
        life.watch().eachSecond(ring::tick);
        if (teller != null && untyped) {
            life.watch().eachSecond(new NativeWaits(callers, ring, teller, world.rank(), world.size()));
        }
        Pairing pairing = board == null ? null : new Pairing(board, always);
        Recorder recorder = new Recorder(checked, ring, callers, new Lines(ring, always), pairing);
        if (own != null) recorder.onLeave(() -> own.board().state(world.rank(), JobStatus.State.LEFT));
        return recorder;
    }

    /// A recorder that nobody watches.
    public static Engine around(Engine engine, FlightRing ring) {
        return new Recorder(engine, ring, new Callers(ring), new Lines(ring, false), null);
    }
}
