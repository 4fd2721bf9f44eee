package org.tutti.futures;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.tutti.job.process.UserLine;

/// Converts a function of the program to a description that any rank can resolve. A lambda or a method
/// reference is described by the strings of its `SerializedLambda` and the captured values. A record is not
/// converted: it is sent as a value.
final class CallSites {
    /// Indices of the strings in a description.
    static final int CLASS = 0, INTERFACE = 1, METHOD = 2, SIGNATURE = 3, IMPL_CLASS = 4, IMPL_METHOD = 5;
    static final int IMPL_SIGNATURE = 6, TYPE = 7, STRINGS = 8;

    /// Indices of the last two parts of a description: the array of captured values, and an array of their
    /// kinds. The parts before these two are the strings, the method kind and the flag for a captured `this`. A
    /// kind is the number of a [SharedValue], [#FUNCTION], or 0 for any other value.
    static final int CAPTURED = 3, SHARED = 4;

    /// Stored in place of the number of a shared value if the captured value is the description of a function.
    static final long FUNCTION = -1;

    /// By the hidden class of a call site that was checked: the description, or `true` if the call site has
    /// captured values.
    private static final ClassValue<AtomicReference<@Nullable Object>> KNOWN = new ClassValue<>() {
        @Override
        protected AtomicReference<@Nullable Object> computeValue(Class<?> type) {
            return new AtomicReference<>();
        }
    };

    private CallSites() {}

    /// Returns the description of a function. For a call site without captured values this is always the same
    /// object.
    ///
    /// @param processes whether the function will run in a different process
    /// @throws TaskRefusedException if no other rank could resolve the function
    static Object describe(@Nullable Serializable function, String operation, boolean processes) {
        if (function == null) throw refused(operation, "the function is null");
        if (function instanceof Record) return function;
        AtomicReference<@Nullable Object> known = KNOWN.get(function.getClass());
        Object before = known.get();
        if (before instanceof Object[] whole) return whole;
        SerializedLambda lambda = SerializedForm.at(function);
        if (lambda == null) {
            throw refused(
                    operation,
                    "an object of " + function.getClass().getName()
                            + " is not a lambda, a method reference or a record; other ranks can resolve only these");
        }
        Object[] description = description(lambda, operation, processes);
        if (before == null) {
            check(function, description, lambda, operation, processes);
            known.set(lambda.getCapturedArgCount() == 0 ? description : Boolean.TRUE);
        }
        return description;
    }

    /// Returns whether the value is a lambda of a type of this package. Returns false for a function that is a
    /// record, because it is sent as a value.
    private static boolean isFunction(@Nullable Object value) {
        return !(value instanceof Record)
                && (value instanceof RankFunction
                        || value instanceof RankCallable
                        || value instanceof RankOperator
                        || value instanceof CommFunction);
    }

    private static Object[] description(SerializedLambda lambda, String operation, boolean processes) {
        String[] names = new String[STRINGS];
        names[CLASS] = lambda.getCapturingClass().replace('/', '.');
        names[INTERFACE] = lambda.getFunctionalInterfaceClass();
        names[METHOD] = lambda.getFunctionalInterfaceMethodName();
        names[SIGNATURE] = lambda.getFunctionalInterfaceMethodSignature();
        names[IMPL_CLASS] = lambda.getImplClass();
        names[IMPL_METHOD] = lambda.getImplMethodName();
        names[IMPL_SIGNATURE] = lambda.getImplMethodSignature();
        names[TYPE] = lambda.getInstantiatedMethodType();
        @Nullable Object[] captured = new @Nullable Object[lambda.getCapturedArgCount()];
        long[] shared = new long[captured.length];
        for (int i = 0; i < captured.length; i++) {
            Object value = lambda.getCapturedArg(i);
            checkNoPool(value, operation);
            if (value instanceof SharedValue<?> s) {
                shared[i] = s.id();
            } else if (isFunction(value)) {
                shared[i] = FUNCTION;
                captured[i] = describe((Serializable) value, operation, processes);
            } else {
                captured[i] = value;
            }
        }
        boolean self = captured.length > 0 && isThis(captured[0], names[CLASS], operation);
        if (self) captured[0] = null; // recreated on the worker
        return new Object[] {names, lambda.getImplMethodKind(), self, captured, shared};
    }

    /// Throws if a function captures a pool, which a task cannot use.
    private static void checkNoPool(@Nullable Object captured, String operation) {
        boolean isPool = captured instanceof Tasks
                || captured instanceof RankExecutor
                || captured instanceof RankCompletionService;
        if (captured == null || !isPool) return;
        throw refused(
                operation,
                "the function uses a pool (" + captured.getClass().getSimpleName() + "), and a task cannot submit tasks"
                        + " to it; return the results and submit the new tasks where the pool was opened"
                        + " (RankPool.completionService), or open RankPool.threads(n) in the task");
    }

    /// Returns whether `captured` is the `this` of a class without fields, for which any other instance is
    /// equivalent. Throws if the class has fields.
    private static boolean isThis(@Nullable Object captured, String capturing, String operation) {
        if (captured == null || captured instanceof Record || captured instanceof Enum) return false;
        Class<?> type = captured.getClass();
        if (!type.getName().equals(capturing)) return false;
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers())) continue;
                throw refused(
                        operation,
                        "the function uses `this`, a " + type.getName() + ", and the field `" + field.getName()
                                + "` stays on this rank: copy it to a local variable before, or make it static, or pass"
                                + " it as an argument");
            }
        }
        return true;
    }

    /// Checks once per call site that the description resolves to `function`.
    private static void check(
            Serializable function, Object[] description, SerializedLambda lambda, String operation, boolean processes) {
        String[] names = (String[]) description[0];
        if (processes && names[CLASS].startsWith("REPL.$JShell$")) {
            throw refused(operation, "classes of JShell exist only in the process of JShell; use RankPool.threads(n)");
        }
        Object back;
        try {
            back = new TaskCode(function.getClass().getClassLoader(), id -> new SharedValue<>(id, null, null))
                    .function(description);
        } catch (TaskRefusedException e) {
            throw refused(operation, String.valueOf(e.getMessage()));
        }
        SerializedLambda again = back instanceof Serializable s ? SerializedForm.at(s) : null;
        if (again != null && again.getInstantiatedMethodType().equals(lambda.getInstantiatedMethodType())) return;
        throw refused(
                operation,
                "a method reference to " + names[IMPL_CLASS].replace('/', '.') + "::" + names[IMPL_METHOD]
                        + " occurs twice in " + names[CLASS]
                        + ", for different types, and the compiler confuses the two"
                        + " (JDK-8376198); write it as a lambda");
    }

    static TaskRefusedException refused(String operation, String text) {
        String line = UserLine.here();
        return new TaskRefusedException(operation + ": " + text + (line.isEmpty() ? "" : " (" + line + ")"));
    }

    /// Discards the output and records the object that replaces the function (`writeReplace`). Unlike
    /// reflection, an object stream can call `writeReplace` in any module.
    private static final class SerializedForm extends ObjectOutputStream {
        private @Nullable SerializedLambda found;

        private SerializedForm() throws IOException {
            super(OutputStream.nullOutputStream());
            enableReplaceObject(true);
        }

        static @Nullable SerializedLambda at(Serializable function) {
            try {
                SerializedForm form = new SerializedForm();
                form.writeObject(function);
                return form.found;
            } catch (IOException | SecurityException e) {
                return null;
            }
        }

        @Override
        protected @Nullable Object replaceObject(@Nullable Object object) {
            if (object instanceof SerializedLambda lambda) found = lambda;
            return null;
        }
    }
}
