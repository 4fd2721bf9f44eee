package org.tutti.mpi.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.process.RankProcess;
import org.tutti.spi.Engine;
import org.tutti.spi.EngineProvider;
import org.tutti.spi.Fault;
import org.tutti.spi.LocalJobObserver;
import org.tutti.spi.Observer;
import org.tutti.spi.ObserverProvider;
import org.tutti.spi.Observers;
import org.tutti.spi.PredefinedErrorClass;

/// Searches the services for engines and observers.
public final class Engines {
    private Engines() {}

    /// @param observer null if the engine is not observed
    public record Opened(Engine engine, @Nullable Observer observer) {}

    /// @throws Fault `ERR_OTHER` if no engine has this name
    public static EngineProvider named(String name) {
        List<String> present = new ArrayList<>();
        for (EngineProvider provider : ServiceLoader.load(EngineProvider.class, Engines.class.getClassLoader())) {
            if (provider.name().equals(name)) return provider;
            present.add(provider.name());
        }
        throw Fault.job(
                PredefinedErrorClass.ERR_OTHER,
                "init",
                "there is no engine '" + name + "'; present: " + (present.isEmpty() ? "none" : present) + "; "
                        + remedy(name),
                null);
    }

    /// Returns a remedy. In a single jar with all classes of a program, the service file may be the file of a
    /// different jar.
    private static String remedy(String name) {
        String provider =
                name.equals(RankEnvironment.SHM) ? "org.tutti.shm.ShmProvider" : "org.tutti.libmpi.LibmpiProvider";
        try {
            Class.forName(provider, false, Engines.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            return "put tutti-" + name + ".jar on the class path or the module path";
        }
        return "the classes are present, but META-INF/services/org.tutti.spi.EngineProvider does not list "
                + provider + "; configure the build to merge the service files of all jars (Maven Shade:"
                + " ServicesResourceTransformer; Gradle Shadow: mergeServiceFiles)";
    }

    /// Returns the provider of memory for connections between jobs; null if none exists.
    public static EngineProvider.@Nullable Connecting connecting() {
        for (EngineProvider provider : ServiceLoader.load(EngineProvider.class, Engines.class.getClassLoader()))
            if (provider instanceof EngineProvider.Connecting connecting) return connecting;
        return null;
    }

    /// Opens the engine of this process, with observers of the program's calls.
    ///
    /// @throws Fault if the engine cannot join the job, or as in [#named]
    public static Opened open(RankEnvironment environment, RankProcess process) {
        Engine engine = named(environment.engine()).open(environment);
        List<ObserverProvider> providers = providers();
        List<Observer> observers = new ArrayList<>();
        for (ObserverProvider provider : providers) {
            Observer observer = provider.attach(engine, environment, process);
            if (observer != null) observers.addFirst(observer);
        }
        engine.communicators().world().restartCalls();
        return new Opened(engine, Observers.of(observers));
    }

    private static List<ObserverProvider> providers() {
        List<ObserverProvider> providers = new ArrayList<>();
        ServiceLoader.load(ObserverProvider.class, Engines.class.getClassLoader())
                .forEach(providers::add);
        providers.sort(
                (a, b) -> Integer.compare(a.layer(), b.layer())); // Integer.compare: the class is in the AOT cache
        return providers;
    }

    /// Returns the observer of a job of threads; null if none exists.
    ///
    /// `-Dtutti.local.observe=false` disables the observer, for measurements of the engine: the recorder walks
    /// the stack of every thousandth call.
    ///
    /// @param end ends the job for the reason that is passed
    public static @Nullable LocalJobObserver observeLocal(List<? extends Engine> engines, Consumer<String> end) {
        if ("false".equals(System.getProperty("tutti.local.observe"))) return null;
        for (ObserverProvider provider : providers()) {
            LocalJobObserver observer = provider.attachLocal(engines, end);
            if (observer != null) return observer;
        }
        return null;
    }
}
