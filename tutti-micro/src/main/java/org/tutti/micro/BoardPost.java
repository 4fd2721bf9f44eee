package org.tutti.micro;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.tutti.mpi.bootstrap.JobBoard;
import org.tutti.mpi.bootstrap.JobFile;
import org.tutti.mpi.bootstrap.PlainDoor;
import org.tutti.mpi.spi.CommPort;
import org.tutti.shm.board.Board;
import org.tutti.shm.board.Boards;
import org.tutti.shm.segment.Segment;

/// Two ranks post a call each; one looks at the other's, compares and finishes.
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@State(Scope.Thread)
public class BoardPost {
    private static final int RANKS = 2;

    private final Segment segment = segment();
    private final Board mine = new Boards(segment).ofWorld(new Port(0));
    private final Board theirs = new Boards(segment).ofWorld(new Port(1));

    private static final class Port extends CommPort {
        Port(int rank) {
            super(rank, RANKS, "MICRO");
        }

        @Override
        public int worldRank(int rank) {
            return rank;
        }
    }

    private static Segment segment() {
        try {
            JobFile file = new PlainDoor().createFile("tutti-micro", JobFile.BYTES);
            file.commit(JobBoard.bytes(RANKS), JobBoard.engineTables(RANKS));
            return Segment.attach(file, JobBoard.bytes(RANKS), RANKS, Arena.global());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Benchmark
    public long postAndLook() {
        long number = mine.nextNumber();
        post(mine, number);
        post(theirs, theirs.nextNumber());
        if (!theirs.isThere(0, number)) throw new IllegalStateException("post " + number + " is not there");
        long differs = theirs.contradiction(0, number) + mine.contradiction(1, number);
        mine.finish(number);
        theirs.finish(number);
        return differs;
    }

    private static void post(Board board, long number) {
        if (!board.mayPost(number)) throw new IllegalStateException("no room for post " + number);
        board.publish(number, 1, 2, 3);
    }
}
