package org.tutti.shm;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.tutti.job.Host;
import org.tutti.job.JobFile;
import org.tutti.job.JobStatus;
import org.tutti.job.OsDoor;
import org.tutti.job.RankEnvironment;
import org.tutti.job.RankProcess;
import org.tutti.shm.progress.JobFailure;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Segment;
import org.tutti.spi.Engine;
import org.tutti.spi.EngineProvider;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// The service that opens this engine.
public final class ShmProvider implements EngineProvider.Local {
    @Override
    public String name() {
        return RankEnvironment.SHM;
    }

    @Override
    public Engine open(RankEnvironment environment) {
        RankProcess process = RankProcess.begin(environment);
        JobFile given = process.jobFile();
        if (given == null && environment.size() != 1) {
            throw Fault.job(
                    PredefinedErrorClass.ERR_OTHER,
                    "init",
                    "the shm engine is for ranks that 'tutti run' started, this is rank " + environment.rank() + " of "
                            + environment.launcher() + " (" + environment.told()
                            + "); use --engine libmpi, or tutti run",
                    null);
        }
        OsDoor door = OsDoor.open();
        Segment segment = given == null
                ? Segment.ofThisProcess(door, environment.size(), Arena.global())
                : Segment.attach(given, JobStatus.bytes(environment.size()), environment.size(), Arena.global());
        Bells bells = Bells.ofProcesses(segment, door);
        String description = "shm, ranks in processes, " + door.name() + " door";
        return new ShmEngine(
                segment,
                bells,
                environment.rank(),
                new JobFailure(),
                (rank, code, why) -> process.exit(code),
                description,
                idle(environment.size()),
                new ReentrantLock());
    }

    @Override
    public List<? extends Engine> openLocal(int size) {
        Segment segment = Segment.ofThisProcess(OsDoor.open(), size, Arena.ofAuto());
        Bells bells = Bells.ofThreads(segment);
        JobFailure failure = new JobFailure();
        ShmEngine.Ending ending = (rank, code, why) -> {
            failure.tell(Fault.job(PredefinedErrorClass.ERR_PROC_FAILED, "local", why, null));
            for (int r = 0; r < size; r++) bells.ring(r);
        };
        return IntStream.range(0, size)
                .mapToObj(r -> new ShmEngine(
                        segment, bells, r, failure, ending, "shm, ranks in threads", idle(size), new ReentrantLock()))
                .toList();
    }

    private static IdleStrategy idle(int ranks) {
        return IdleStrategy.of(ranks, Host.cores());
    }
}
