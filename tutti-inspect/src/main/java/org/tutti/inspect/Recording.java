package org.tutti.inspect;

import org.tutti.mpi.bootstrap.FlightRing;
import org.tutti.mpi.bootstrap.JobBoard;
import org.tutti.mpi.bootstrap.JobFile;
import org.tutti.mpi.bootstrap.Place;
import org.tutti.mpi.bootstrap.RankLife;
import org.tutti.mpi.spi.CommPort;
import org.tutti.mpi.spi.Engine;
import org.tutti.mpi.spi.Interceptor;

/// Puts the recorder around every engine of a job that somebody watches.
public final class Recording implements Interceptor {
    @Override
    public int layer() {
        return 100;
    }

    @Override
    public Engine around(Engine engine, Place place, RankLife life) {
        JobFile file = life.jobFile();
        JobBoard board = life.board();
        boolean always = Place.checks();
        // the shm engine compares calls by every message of its own; programs of other languages tell nothing
        boolean asks = engine.name().equals(Place.NATIVE) && place.javaRanks() == null;
        Engine checked = asks ? new Checker(engine, always) : engine;
        if (file != null && board != null) return watched(checked, file, board, life, always);
        return checked == engine ? engine : around(checked, FlightRing.ofThisProcess());
    }

    private static Engine watched(Engine engine, JobFile file, JobBoard board, RankLife life, boolean always) {
        CommPort world = engine.world();
        int me = world.rank();
        FlightRing ring = FlightRing.of(file, me);
        Callers callers = new Callers();
        life.watch().eachSecond(ring::tick);
        // the shm engine tells what it waits for itself
        if (engine.name().equals(Place.NATIVE)) {
            life.watch().eachSecond(new NativeWaits(callers, ring, board.waits(me), me, world.size()));
        }
        return new Recorder(engine, ring, callers, new Lines(ring, always), new Pairing(board, always));
    }

    /// A recorder that nobody watches.
    public static Engine around(Engine engine, FlightRing ring) {
        return new Recorder(engine, ring, new Callers(), new Lines(ring, false), null);
    }
}
