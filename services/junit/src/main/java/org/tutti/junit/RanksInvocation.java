package org.tutti.junit;

import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.platform.commons.support.ReflectionSupport;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Tutti;

/// A run of a test. JUnit's single call is skipped; instead, each rank calls the method.
final class RanksInvocation implements TestTemplateInvocationContext, InvocationInterceptor, ParameterResolver {
    private final int size;
    private final RanksTest test;

    RanksInvocation(int size, RanksTest test) {
        this.size = size;
        this.test = test;
    }

    @Override
    public String getDisplayName(int invocationIndex) {
        return size + (size == 1 ? " rank" : " ranks");
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
        return List.of(this);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return isOfRank(parameter.getParameter().getType());
    }

    /// Returns null: each rank gets a separate value later.
    @Override
    public @Nullable Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return null;
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> call, ExtensionContext context) {
        invocation.skip();
        Method method = call.getExecutable();
        if (test.processes()) {
            ProcessRanks.run(size, test.timeoutSeconds(), context.getRequiredTestClass(), method);
        } else {
            Object instance = call.getTarget().orElse(null);
            runThreads(method, instance, call.getArguments().toArray());
        }
    }

    private void runThreads(Method method, @Nullable Object instance, @Nullable Object[] shared) {
        RankFailures failures = new RankFailures(size);
        RankThreads threads = new RankThreads(size);
        int seconds = test.timeoutSeconds();
        try (TimeLimit limit = new TimeLimit(seconds, threads::look)) {
            try {
                Tutti.local(size, mpi -> {
                    int rank = mpi.world().rank();
                    threads.begin(rank);
                    try {
                        ReflectionSupport.invokeMethod(method, instance, arguments(method, mpi, shared));
                        failures.passed();
                    } catch (Throwable t) {
                        failures.failed(rank, t);
                        throw t;
                    }
                });
            } catch (Throwable t) {
                if (limit.isOver()) throw new AssertionError(threads.text(seconds), t);
                throw failures.verdict(t);
            }
        }
    }

    static boolean isOfRank(Class<?> type) {
        return type == Mpi.class || type == Comm.class;
    }

    /// Returns the arguments of the method on one rank.
    ///
    /// @param shared the values of the other parameters, by index
    static @Nullable Object[] arguments(Method method, Mpi mpi, @Nullable Object[] shared) {
        Class<?>[] types = method.getParameterTypes();
        @Nullable Object[] arguments = shared.clone();
        for (int i = 0; i < types.length; i++) {
            if (types[i] == Mpi.class) arguments[i] = mpi;
            if (types[i] == Comm.class) arguments[i] = mpi.world();
        }
        return arguments;
    }
}
