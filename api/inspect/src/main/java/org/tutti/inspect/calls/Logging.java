package org.tutti.inspect.calls;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.tutti.job.calls.CallLog;
import org.tutti.job.environment.Host;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.process.RankProcess;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.Observer;
import org.tutti.spi.ObserverProvider;

/// Attaches the logger if the launcher requests it.
public final class Logging implements ObserverProvider {
    @Override
    public int layer() {
        return 200;
    }

    @Override
    public @Nullable Observer attach(Engine engine, RankEnvironment environment, RankProcess process) {
        Path directory = RankEnvironment.calls();
        if (directory == null) return null;
        CommPort world = engine.communicators().world();
        // this precedes any step that can fail on only this rank, because all ranks must take part
        long offset =
                RankEnvironment.isOnSeveralMachines() && environment.javaRanks() == null ? Clocks.offset(engine) : 0;
        CallLog log;
        try {
            log = CallLog.create(directory, world.rank(), world.size(), Host.name());
        } catch (IOException e) {
            System.getLogger(Logging.class.getName()).log(System.Logger.Level.WARNING, "calls are not recorded: " + e);
            return null;
        }
        log.clock(offset);
        @Nullable JvmEvents jvm = RankEnvironment.callsOfJvm() ? JvmEvents.start(log, process.watch()) : null;
        log.began();
        return new Logger(world, log, jvm);
    }
}
