package org.tutti.junit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Tutti;

/// A run of a test with ranks as processes. The ranks report through files, because a failed rank may be unable
/// to send.
final class ProcessRanks {
    private ProcessRanks() {}

    static void run(int size, int timeoutSeconds, Class<?> type, Method method) {
        check(type, method);
        String parameters =
                Arrays.stream(method.getParameterTypes()).map(Class::getName).collect(Collectors.joining(","));
        try (RankReports reports = RankReports.make(size);
                TimeLimit limit = new TimeLimit(timeoutSeconds, () -> {})) {
            try {
                String folder = reports.folder().toString();
                Tutti.spawn(size, TestProcess.class, type.getName(), method.getName(), parameters, folder);
            } catch (MpiException e) {
                if (limit.isOver()) throw new AssertionError("not over after " + timeoutSeconds + " s", e);
                throw new RankFailures(size, reports.read()).verdict(e);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Checks that a different process can create the instance and the arguments.
    private static void check(Class<?> type, Method method) {
        String what = "@RanksTest(processes = true) on " + method.getName() + ": ";
        if (type.isMemberClass() && !Modifier.isStatic(type.getModifiers())) {
            throw new ExtensionConfigurationException(what + type.getName()
                    + " is an inner class, which a rank cannot instantiate; move the test to a top-level class");
        }
        for (Parameter parameter : method.getParameters()) {
            if (RanksInvocation.isOfRank(parameter.getType())) continue;
            throw new ExtensionConfigurationException(
                    what + "the parameter " + parameter.getType().getSimpleName()
                            + " exists only in this process, and ranks are other processes; use parameters of type Mpi and Comm");
        }
    }
}
