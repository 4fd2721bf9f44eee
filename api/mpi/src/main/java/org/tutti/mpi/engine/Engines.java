package org.tutti.mpi.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

/// Finds engines and observers with a [ServiceLoader].
public final class Engines {
    private Engines() {}

    /// @param observer null if the engine is not observed
    public record Opened(Engine engine, @Nullable Observer observer) {}

    /// The providers of Tutti's engines. This list is necessary because a jar that contains the classes of
    /// several jars may have the service file of only one of these jars.
    private static final Map<String, String> KNOWN = Map.of(
            RankEnvironment.SHM,
            "org.tutti.shm.ShmProvider",
            RankEnvironment.NATIVE,
            "org.tutti.libmpi.LibmpiProvider");

    /// Returns the provider of the engine with this name.
    ///
    /// @throws Fault `ERR_OTHER` if no engine has this name
    public static EngineProvider named(String name) {
        List<String> present = new ArrayList<>();
        for (EngineProvider provider : ServiceLoader.load(EngineProvider.class, Engines.class.getClassLoader())) {
            if (provider.name().equals(name)) return provider;
            present.add(provider.name());
        }
        EngineProvider unlisted = unlisted(name);
        if (unlisted != null) return unlisted;
        throw Fault.job(
                PredefinedErrorClass.ERR_OTHER,
                "init",
                "engine '" + name + "' was not found; present: " + (present.isEmpty() ? "none" : present)
                        + "; put tutti-" + name + ".jar on the class path or the module path; in a single jar of all"
                        + " classes, include " + KNOWN.getOrDefault(name, "the engine's provider")
                        + " and merge the service files (Maven Shade: ServicesResourceTransformer; Gradle Shadow:"
                        + " mergeServiceFiles)",
                null);
    }

    /// Returns the provider of one of Tutti's engines that no service file lists; null if the class is missing.
    private static @Nullable EngineProvider unlisted(String name) {
        String provider = KNOWN.get(name);
        if (provider == null) return null;
        try {
            Class<?> type = Class.forName(provider, true, Engines.class.getClassLoader());
            return (EngineProvider) type.getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    /// Returns the provider of memory for connections between jobs; null if none exists.
    public static EngineProvider.@Nullable Connecting connecting() {
        for (EngineProvider provider : ServiceLoader.load(EngineProvider.class, Engines.class.getClassLoader()))
            if (provider instanceof EngineProvider.Connecting connecting) return connecting;
        return unlisted(RankEnvironment.SHM) instanceof EngineProvider.Connecting connecting ? connecting : null;
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
        providers.sort((a, b) -> Integer.compare(a.layer(), b.layer())); // the class Integer is in the AOT cache
        return providers;
    }

    /// Returns the observer of a job whose ranks are threads; null if no observer exists.
    ///
    /// `-Dtutti.local.observe=false` disables the observer, which walks the stack at every thousandth call, so
    /// that the engine can be measured without this cost.
    ///
    /// @param end a function that ends the job; its argument is the reason
    public static @Nullable LocalJobObserver observeLocal(List<? extends Engine> engines, Consumer<String> end) {
        if ("false".equals(System.getProperty("tutti.local.observe"))) return null;
        for (ObserverProvider provider : providers()) {
            LocalJobObserver observer = provider.attachLocal(engines, end);
            if (observer != null) return observer;
        }
        return null;
    }
}
