package org.tutti.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.tutti.job.environment.Host;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.process.RankProcess;
import org.tutti.job.status.JobStatus;
import org.tutti.shm.progress.JobFailure;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Segment;
import org.tutti.spi.ConnectionMemory;
import org.tutti.spi.Engine;
import org.tutti.spi.EngineProvider;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// The service that opens this engine.
public final class ShmProvider implements EngineProvider.Local, EngineProvider.Connecting {
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
                            + environment.launcher() + " (" + environment.variables()
                            + "); use --engine libmpi, or tutti run",
                    null);
        }
        OsPlatform platform = OsPlatform.open();
        String parent = RankEnvironment.parent();
        Invitation invitation = parent == null ? null : Invitation.of(parent);
        int rank = environment.rank(), size = environment.size();
        Place place = invitation == null ? new Place(rank, size, 0) : invitation.place(rank);
        Segment segment;
        if (invitation != null) segment = attach(invitation);
        else if (given == null) segment = Segment.ofOneProcess(platform, Arena.global());
        else segment = Segment.attach(given, JobStatus.bytes(size), size, Arena.global());
        Bells bells = Bells.ofProcesses(segment, platform);
        String description = "shm, ranks in processes, " + platform.name() + " platform";
        return new ShmEngine(
                segment,
                bells,
                place,
                invitation,
                new JobFailure(),
                (_, code, _) -> process.exit(code),
                description,
                idle(environment.size()),
                new ReentrantLock(),
                RankEnvironment.isOfPool() && invitation == null ? process.jobStatus() : null);
    }

    private static Segment attach(Invitation invitation) {
        try {
            return Segment.attach(invitation.address(), invitation.first() + invitation.size(), Arena.global());
        } catch (IOException e) {
            throw Fault.job(
                    PredefinedErrorClass.ERR_OTHER,
                    "init",
                    "the shared memory of the ranks that have spawned this one cannot be opened (" + e
                            + "), probably because these ranks have ended",
                    null,
                    e);
        }
    }

    @Override
    public List<? extends Engine> openLocal(int size) {
        Segment segment = Segment.ofThisProcess(OsPlatform.open(), size, Arena.ofAuto());
        Bells bells = Bells.ofThreads(segment);
        JobFailure failure = new JobFailure();
        ShmEngine.Ending ending = (rank, code, why) -> {
            failure.report(Fault.job(PredefinedErrorClass.ERR_PROC_FAILED, "local", why, null));
            for (int r = 0; r < size; r++) bells.ring(r);
        };
        return IntStream.range(0, size)
                .mapToObj(r -> new ShmEngine(
                        segment,
                        bells,
                        new Place(r, size, 0),
                        null,
                        failure,
                        ending,
                        "shm, ranks in threads",
                        idle(size),
                        new ReentrantLock(),
                        null))
                .toList();
    }

    @Override
    public Engine openHost(JobStatus status) {
        OsPlatform platform = OsPlatform.open();
        int size = status.size();
        JobFile file = Objects.requireNonNull(status.file(), "the ranks are threads");
        Segment segment = Segment.attach(file, JobStatus.bytes(size), size, Arena.ofAuto());
        Bells bells = Bells.ofProcesses(segment, platform);
        JobFailure failure = new JobFailure();
        ShmEngine.Ending ending = (rank, code, why) -> {
            failure.report(Fault.job(PredefinedErrorClass.ERR_PROC_FAILED, "pool", why, null));
            bells.ring(rank);
        };
        return new ShmEngine(
                segment,
                bells,
                new Place(0, size, 0),
                null,
                failure,
                ending,
                "shm, rank 0 of processes that this one has started, " + platform.name() + " platform",
                idle(size),
                new ReentrantLock(),
                status);
    }

    @Override
    public ConnectionMemory createRendezvous() {
        return ShmConnection.create();
    }

    @Override
    public ConnectionMemory attachRendezvous(String address) {
        return ShmConnection.attach(address);
    }

    @Override
    public List<String> published(String key) {
        return ShmConnection.published(key);
    }

    static IdleStrategy idle(int ranks) {
        return IdleStrategy.of(ranks, Host.cores());
    }
}
