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

/// Finds engines, and those that watch them, among the services.
public final class Engines {
    private Engines() {}

    /// @param observer null when nobody watches
    public record Opened(Engine engine, @Nullable Observer observer) {}

    /// @throws Fault `ERR_OTHER` when there is none of this name
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

    /// In a jar of all a program's classes, the file that names the engines may be the one of another jar.
    private static String remedy(String name) {
        String provider =
                name.equals(RankEnvironment.SHM) ? "org.tutti.shm.ShmProvider" : "org.tutti.libmpi.LibmpiProvider";
        try {
            Class.forName(provider, false, Engines.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            return "put tutti-" + name + ".jar on the class path or the module path";
        }
        return "its classes are here, but META-INF/services/org.tutti.spi.EngineProvider does not name "
                + provider + "; let the build merge the service files of all jars (Maven Shade:"
                + " ServicesResourceTransformer; Gradle Shadow: mergeServiceFiles)";
    }

    /// What makes memory in which jobs meet; null when there is nothing of the kind.
    public static EngineProvider.@Nullable Meeting meeting() {
        for (EngineProvider provider : ServiceLoader.load(EngineProvider.class, Engines.class.getClassLoader()))
            if (provider instanceof EngineProvider.Meeting meeting) return meeting;
        return null;
    }

    /// The engine of this process, and those that watch what the program calls.
    ///
    /// @throws Fault when the engine cannot join the job, or as [#named]
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
        providers.sort((a, b) -> Integer.compare(a.layer(), b.layer())); // of a class that the AOT cache keeps
        return providers;
    }

    /// Returns what observes a job of threads; null where there is nothing that does.
    ///
    /// `-Dtutti.local.observe=false` leaves ranks as threads unobserved, for measurements of the engine only: the
    /// recorder walks the stack of one call in a thousand.
    ///
    /// @param end ends the job for the reason that it is given
    public static @Nullable LocalJobObserver observeLocal(List<? extends Engine> engines, Consumer<String> end) {
        if ("false".equals(System.getProperty("tutti.local.observe"))) return null;
        for (ObserverProvider provider : providers()) {
            LocalJobObserver observer = provider.attachLocal(engines, end);
            if (observer != null) return observer;
        }
        return null;
    }
}
