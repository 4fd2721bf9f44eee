package org.tutti.inspect;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.os.JobFile;
import org.tutti.job.process.RankProcess;
import org.tutti.job.status.FlightRing;
import org.tutti.job.status.JobStatus;
import org.tutti.job.status.WaitReporter;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.LocalJobObserver;
import org.tutti.spi.LocalWait;
import org.tutti.spi.Observer;
import org.tutti.spi.ObserverProvider;
import org.tutti.spi.Observers;
import org.tutti.spi.WaitInsight;

/// Attaches the recorder to the ranks of a watched job. If messages of the engine do not contain the type,
/// attaches the recorder to every job, and also the checker of calls if all ranks run Java programs.
public final class Recording implements ObserverProvider {
    @Override
    public int layer() {
        return 100;
    }

    @Override
    public @Nullable Observer attach(Engine engine, RankEnvironment environment, RankProcess process) {
        boolean always = RankEnvironment.checks(), untyped = !engine.info().describesMessages();
        // ranks that run programs in other languages do not send call signatures
        boolean asks = untyped && environment.javaRanks() == null;
        JobFile file = process.jobFile();
        JobStatus status = process.jobStatus();
        WaitReporter teller = process.waits();
        CommPort world = engine.communicators().world();
        boolean hasNoReporter = status == null && teller == null;
        if (hasNoReporter && !untyped) return null;
        ForeignJobStatus own = hasNoReporter && asks ? ForeignJobStatus.make(engine, process) : null;
        if (own != null) {
            file = own.file();
            status = own.status();
            teller = status.waits(world.rank());
        }
        FlightRing ring =
                file == null || status == null ? FlightRing.ofThisProcess() : FlightRing.of(file, world.rank());
        process.records(ring);
        Callers callers = new Callers(ring);
        process.watch().eachSecond(ring::tick);
        Pairing pairing = status == null ? null : new Pairing(status, always);
        Recorder recorder = new Recorder(engine, ring, callers, new Lines(ring, always), pairing);
        if (teller != null) {
            WaitInsight insight = engine.power(WaitInsight.class);
            process.watch()
                    .eachSecond(new BlockedCallReporter(
                            callers,
                            ring,
                            teller,
                            lines(status),
                            world,
                            insight,
                            t -> false,
                            () -> 0,
                            recorder::explain));
        }
        if (own != null) recorder.onLeave(() -> own.status().state(world.rank(), JobStatus.State.LEFT));
        return asks ? Observers.of(List.of(recorder, new Checker(engine, always))) : recorder;
    }

    @Override
    public LocalJobObserver attachLocal(List<? extends Engine> engines, Consumer<String> end) {
        return LocalRecording.of(engines, end);
    }

    /// Returns access to the source lines in the recorders of other ranks. Ranks of other worlds have no lines,
    /// because their recorders are in different memory.
    static LocalWait.LineTexts lines(@Nullable JobStatus status) {
        if (status == null) return LocalWait.LineTexts.NONE;
        return (port, rank, line) -> {
            int inWorld = port.worldRank(rank);
            return inWorld < 0 || line <= 0 ? "" : status.flight(inWorld).textOf(line);
        };
    }

    /// Returns a recorder for an unwatched rank.
    public static Observer alone(Engine engine, FlightRing ring) {
        return new Recorder(engine, ring, new Callers(ring), new Lines(ring, false), null);
    }
}
