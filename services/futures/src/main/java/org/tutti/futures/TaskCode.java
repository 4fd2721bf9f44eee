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

/// From the words of [CallSites] to a function, on the rank that runs it. Only what the program itself
/// has written as one of this package's functions can come out: the class is the program's own, and its
/// `$deserializeLambda$`, which its compiler made, knows its call sites and refuses all else. No Java
/// deserialization takes part.
final class TaskCode {
    private static final Set<String> INTERFACES = Set.of(
            name(RankFunction.class), name(RankCallable.class), name(RankOperator.class), name(CommFunction.class));

    private final ClassLoader loader;
    private final LongFunction<@Nullable SharedValue<?>> shared;
    private final Map<String, Method> makers = new HashMap<>();

    /// @param shared finds what is shared by its number; null for what is not here
    TaskCode(@Nullable ClassLoader loader, LongFunction<@Nullable SharedValue<?>> shared) {
        this.shared = shared;
        this.loader = loader == null ? ClassLoader.getSystemClassLoader() : loader;
    }

    private static String name(Class<?> type) {
        return type.getName().replace('.', '/');
    }

    /// @throws TaskRefusedException when the words are no call site of this program
    Object function(@Nullable Object words) {
        if (words instanceof Record record) return record;
        if (words instanceof Object[] all
                && all.length == 5
                && all[0] instanceof String[] names
                && names.length == CallSites.WORDS
                && all[1] instanceof Integer kind
                && all[2] instanceof Boolean self
                && all[3] instanceof Object[] captured
                && (!self || captured.length > 0)
                && all[CallSites.SHARED] instanceof long[] ids
                && ids.length == captured.length) {
            for (String name : names)
                if (name == null) throw new TaskRefusedException("these are no words of a call site");
            return function(names, kind, self, values(captured, ids));
        }
        throw new TaskRefusedException("these are no words of a call site");
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
            if (values[i] == null) throw new TaskRefusedException("a shared value that it names is not here");
        }
        return values;
    }

    private Object function(String[] names, int kind, boolean self, @Nullable Object[] values) {
        if (!INTERFACES.contains(names[CallSites.INTERFACE])) {
            throw new TaskRefusedException(names[CallSites.INTERFACE].replace('/', '.') + " is no interface of tasks");
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
            throw new AssertionError(e); // it was made accessible
        }
    }

    /// Nothing of the class runs before it has proven to be the program's own.
    private Method maker(String name) {
        Class<?> type;
        try {
            type = Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            throw new TaskRefusedException("there is no class " + name + " here; do all ranks run the same program?");
        }
        if (!isOwn(type)) throw new TaskRefusedException(name + " is no class of this program");
        try {
            Method maker = type.getDeclaredMethod("$deserializeLambda$", SerializedLambda.class);
            maker.setAccessible(true);
            return maker;
        } catch (NoSuchMethodException e) {
            throw new TaskRefusedException(
                    name + " has no call sites that another rank could find; tasks of code that javac has"
                            + " not compiled are records");
        } catch (InaccessibleObjectException e) {
            throw notOpen(type);
        }
    }

    /// Found by the program's class loader, and part neither of the JDK nor of this module.
    private static boolean isOwn(Class<?> type) {
        ClassLoader from = type.getClassLoader();
        String module = type.getModule().isNamed() ? type.getModule().getName() : "";
        return from != null
                && from != ClassLoader.getPlatformClassLoader()
                && !module.startsWith("java.")
                && !module.startsWith("jdk.");
    }

    private static TaskRefusedException notOpen(Class<?> type) {
        return new TaskRefusedException(type.getName() + " cannot be reached: module "
                + type.getModule().getName() + " does not open its package; write `opens " + type.getPackageName()
                + " to org.tutti.futures, org.tutti.mpi;` in its module-info");
    }

    /// Another object of a class without fields, for `this`.
    private static Object anew(Class<?> type) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (var field : c.getDeclaredFields()) {
                if (!java.lang.reflect.Modifier.isStatic(field.getModifiers())) {
                    throw new TaskRefusedException(type.getName() + " has fields, so no other object stands for it");
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
            throw new TaskRefusedException(
                    "the function uses `this`, a " + type.getName()
                            + ", which cannot be made anew for want of a constructor without parameters; make the method static");
        }
    }
}
