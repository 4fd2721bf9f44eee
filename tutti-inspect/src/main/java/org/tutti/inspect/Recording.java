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
        if (file == null || board == null) return engine;
        FlightRing ring = FlightRing.of(file, place.rank());
        Callers callers = new Callers();
        life.watch().eachSecond(ring::tick);
        // the shm engine tells what it waits for itself
        if (engine.name().equals(Place.NATIVE)) {
            CommPort world = engine.world();
            life.watch()
                    .eachSecond(new NativeWaits(callers, ring, board.waits(world.rank()), world.rank(), world.size()));
        }
        return new Recorder(engine, ring, callers, new Lines(ring, Place.checks()));
    }

    /// A recorder that nobody watches.
    public static Engine around(Engine engine, FlightRing ring) {
        return new Recorder(engine, ring, new Callers(), new Lines(ring, false));
    }
}
