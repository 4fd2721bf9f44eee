package org.tutti.mpi;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import org.tutti.job.RankEnvironment;
import org.tutti.job.RankProcess;
import org.tutti.spi.Engine;
import org.tutti.spi.EngineProvider;
import org.tutti.spi.Interceptor;

/// Finds engines, and what goes around them, among the services.
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

    /// The engine of this process, with all that looks at what it does.
    static Engine open(RankEnvironment place, RankProcess life) {
        Engine engine = named(place.engine()).open(place);
        List<Interceptor> interceptors = new ArrayList<>();
        ServiceLoader.load(Interceptor.class, Engines.class.getClassLoader()).forEach(interceptors::add);
        interceptors.sort(Comparator.comparingInt(Interceptor::layer));
        for (Interceptor i : interceptors) engine = i.around(engine, place, life);
        return engine;
    }
}
