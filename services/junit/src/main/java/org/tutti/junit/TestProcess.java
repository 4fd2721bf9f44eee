package org.tutti.junit;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.tutti.mpi.Mpi;

/// The main class of a rank's process.
final class TestProcess {
    private TestProcess() {}

    /// @param arguments the test class, the method, the method's parameter types, and the directory of reports
    public static void main(String[] arguments) throws Throwable {
        Class<?> type = Class.forName(arguments[0]);
        Method method = ReflectionSupport.findMethod(type, arguments[1], arguments[2])
                .orElseThrow(
                        () -> new IllegalStateException("no " + arguments[1] + "(" + arguments[2] + ") in " + type));
        try (Mpi mpi = Mpi.init()) {
            RankReports reports =
                    RankReports.of(Path.of(arguments[3]), mpi.world().size());
            int rank = mpi.world().rank();
            try {
                run(type, method, mpi);
                reports.passed(rank);
            } catch (Throwable t) {
                reports.failed(rank, t);
                throw t;
            }
        }
    }

    private static void run(Class<?> type, Method method, Mpi mpi) {
        callAll(type, BeforeAll.class, HierarchyTraversalMode.TOP_DOWN, null);
        Object instance = ReflectionSupport.newInstance(type);
        callAll(type, BeforeEach.class, HierarchyTraversalMode.TOP_DOWN, instance);
        @Nullable Object[] arguments = new @Nullable Object[method.getParameterCount()];
        ReflectionSupport.invokeMethod(method, instance, RanksInvocation.arguments(method, mpi, arguments));
        callAll(type, AfterEach.class, HierarchyTraversalMode.BOTTOM_UP, instance);
        callAll(type, AfterAll.class, HierarchyTraversalMode.BOTTOM_UP, null);
    }

    private static void callAll(
            Class<?> type, Class<? extends Annotation> when, HierarchyTraversalMode order, @Nullable Object instance) {
        List<Method> methods = AnnotationSupport.findAnnotatedMethods(type, when, order);
        for (Method m : methods) if (m.getParameterCount() == 0) ReflectionSupport.invokeMethod(m, instance);
    }
}
