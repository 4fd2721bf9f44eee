package org.tutti.mpi;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.tutti.mpi.spi.EngineProvider;

/// Finds engines among the services.
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
}
