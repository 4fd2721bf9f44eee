package org.tutti.mpi;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.tutti.job.RankEnvironment;
import org.tutti.job.RankProcess;
import org.tutti.spi.Engine;
import org.tutti.spi.EngineProvider;
import org.tutti.spi.Observer;
import org.tutti.spi.ObserverProvider;
import org.tutti.spi.Observers;

/// Finds engines, and those that watch them, among the services.
final class Engines {
    private Engines() {}

    static EngineProvider named(String name) {
        List<String> present = new ArrayList<>();
        for (EngineProvider provider : ServiceLoader.load(EngineProvider.class, Engines.class.getClassLoader())) {
            if (provider.name().equals(name)) return provider;
            present.add(provider.name());
        }
        throw MpiException.job(
                ErrorClass.ERR_OTHER,
                "init",
                "there is no engine '" + name + "'; present: " + (present.isEmpty() ? "none" : present) + "; put tutti-"
                        + name + ".jar on the class path or the module path",
                null);
    }

    /// What makes memory in which jobs meet; null when there is nothing of the kind.
    static EngineProvider.@Nullable Meeting meeting() {
        for (EngineProvider provider : ServiceLoader.load(EngineProvider.class, Engines.class.getClassLoader()))
            if (provider instanceof EngineProvider.Meeting meeting) return meeting;
        return null;
    }

    /// The engine of this process, and those that watch what the program calls.
    static EngineCalls open(RankEnvironment environment, RankProcess process) {
        Engine engine = named(environment.engine()).open(environment);
        List<ObserverProvider> providers = new ArrayList<>();
        ServiceLoader.load(ObserverProvider.class, Engines.class.getClassLoader())
                .forEach(providers::add);
        providers.sort(Comparator.comparingInt(ObserverProvider::layer));
        List<Observer> observers = new ArrayList<>();
        for (ObserverProvider provider : providers) {
            Observer observer = provider.attach(engine, environment, process);
            if (observer != null) observers.addFirst(observer);
        }
        engine.communicators().world().restartCalls();
        return new EngineCalls(engine, Observers.of(observers));
    }
}
