package org.tutti.futures;

import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// Converts a description from [CallSites] to a function, on the rank that runs the function. The result can
/// only be a function that the program itself defines, and only of one of this package's types. To ensure this,
/// the class that contains the call site is loaded by the program's class loader. The method
/// `$deserializeLambda$` that the compiler has generated in this class accepts only call sites of this class.
/// Java deserialization is not used.
final class TaskCode {
    private static final Set<String> INTERFACES = Set.of(
            name(RankFunction.class), name(RankCallable.class), name(RankOperator.class), name(CommFunction.class));

    private final ClassLoader loader;
    private final LongFunction<@Nullable SharedValue<?>> shared;
    private final Map<String, Method> makers = new HashMap<>();

    /// @param shared returns a shared value by number; null if it is not on this rank
    TaskCode(@Nullable ClassLoader loader, LongFunction<@Nullable SharedValue<?>> shared) {
        this.shared = shared;
        this.loader = loader == null ? ClassLoader.getSystemClassLoader() : loader;
    }

    private static String name(Class<?> type) {
        return type.getName().replace('.', '/');
    }

    /// @throws TaskRefusedException if the description is not a call site of this program
    Object function(@Nullable Object description) {
        if (description instanceof Record record) return record;
        if (description instanceof Object[] all
                && all.length == 5
                && all[0] instanceof String[] names
                && names.length == CallSites.STRINGS
                && all[1] instanceof Integer kind
                && all[2] instanceof Boolean self
                && all[3] instanceof Object[] captured
                && (!self || captured.length > 0)
                && all[CallSites.SHARED] instanceof long[] ids
                && ids.length == captured.length) {
            for (String name : names)
                if (name == null) throw new TaskRefusedException("not a description of a call site");
            return function(names, kind, self, values(captured, ids));
        }
        throw new TaskRefusedException("not a description of a call site");
    }

    private @Nullable Object[] values(@Nullable Object[] captured, long[] ids) {
        @Nullable Object[] values = captured.clone();
        for (int i = 0; i < ids.length; i++) {
            if (ids[i] == 0) continue;
            if (ids[i] == CallSites.FUNCTION) {
                values[i] = function(captured[i]);
                continue;
            }
            values[i] = shared.apply(ids[i]);
            if (values[i] == null)
                throw new TaskRefusedException("the shared value of this task does not exist on this rank");
        }
        return values;
    }

    private Object function(String[] names, int kind, boolean self, @Nullable Object[] values) {
        if (!INTERFACES.contains(names[CallSites.INTERFACE])) {
            throw new TaskRefusedException(
                    names[CallSites.INTERFACE].replace('/', '.') + " is not an interface of tasks");
        }
        String in = names[CallSites.CLASS];
        Method maker = makers.computeIfAbsent(in, this::maker);
        if (self) values[0] = anew(maker.getDeclaringClass());
        SerializedLambda lambda = new SerializedLambda(
                maker.getDeclaringClass(),
                names[CallSites.INTERFACE],
                names[CallSites.METHOD],
                names[CallSites.SIGNATURE],
                kind,
                names[CallSites.IMPL_CLASS],
                names[CallSites.IMPL_METHOD],
                names[CallSites.IMPL_SIGNATURE],
                names[CallSites.TYPE],
                values);
        try {
            return maker.invoke(null, lambda);
        } catch (InvocationTargetException e) {
            throw new TaskRefusedException(
                    in + " has no such call site; do all ranks run the same program? (" + e.getCause() + ")");
        } catch (IllegalAccessException e) {
            throw new AssertionError(e); // not thrown: `maker` made the method accessible
        }
    }

    /// Checks that the class is a class of the program, before any code of the class runs.
    private Method maker(String name) {
        Class<?> type;
        try {
            type = Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            throw new TaskRefusedException(
                    "class " + name + " does not exist on this rank; do all ranks run the same program?");
        }
        if (!isOwn(type)) throw new TaskRefusedException(name + " is not a class of this program");
        try {
            Method maker = type.getDeclaredMethod("$deserializeLambda$", SerializedLambda.class);
            maker.setAccessible(true);
            return maker;
        } catch (NoSuchMethodException e) {
            throw new TaskRefusedException(
                    name + " has no call sites that other ranks can resolve; in code that javac has"
                            + " not compiled, tasks must be records");
        } catch (InaccessibleObjectException e) {
            throw notOpen(type);
        }
    }

    /// Returns whether the type is not part of the JDK. A type is part of the JDK if the bootstrap or platform
    /// class loader has loaded it, or if its module is `java.*` or `jdk.*`.
    private static boolean isOwn(Class<?> type) {
        ClassLoader from = type.getClassLoader();
        String module = type.getModule().isNamed() ? type.getModule().getName() : "";
        return from != null
                && from != ClassLoader.getPlatformClassLoader()
                && !module.startsWith("java.")
                && !module.startsWith("jdk.");
    }

    private static TaskRefusedException notOpen(Class<?> type) {
        return new TaskRefusedException(type.getName() + " is not accessible: module "
                + type.getModule().getName() + " does not open the package; write `opens " + type.getPackageName()
                + " to org.tutti.futures, org.tutti.mpi;` in module-info.java");
    }

    /// Returns a new instance of a class without fields, which replaces the captured `this` of a lambda.
    private static Object anew(Class<?> type) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (var field : c.getDeclaredFields()) {
                if (!java.lang.reflect.Modifier.isStatic(field.getModifiers())) {
                    throw new TaskRefusedException(type.getName() + " has fields, so no other object can replace it");
                }
            }
        }
        try {
            Constructor<?> constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            return constructor.newInstance();
        } catch (InaccessibleObjectException e) {
            throw notOpen(type);
        } catch (ReflectiveOperationException e) {
            throw new TaskRefusedException("the function uses `this`, a " + type.getName()
                    + ", which cannot be recreated without a constructor without parameters; make the method static");
        }
    }
}
