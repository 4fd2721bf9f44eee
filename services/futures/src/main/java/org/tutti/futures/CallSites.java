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

/// From a function of the program to the words by which another rank finds it: a call site, in the words
/// of `SerializedLambda`, with the values that it captures; or a record, which is a value by itself.
final class CallSites {
    /// Places in the words.
    static final int CLASS = 0, INTERFACE = 1, METHOD = 2, SIGNATURE = 3, IMPL_CLASS = 4, IMPL_METHOD = 5;
    static final int IMPL_SIGNATURE = 6, TYPE = 7, WORDS = 8;

    /// The captured values, behind the words, the kind of the method and whether the first one is
    /// `this`; then for each the number of the [SharedValue] that it is, [#FUNCTION], or 0.
    static final int CAPTURED = 3, SHARED = 4;

    /// In the place of a shared value's number: the captured value is the words of another function.
    static final long FUNCTION = -1;

    /// What each call site was found to be, for its class: a call site has one hidden class.
    private static final ClassValue<AtomicReference<@Nullable Object>> KNOWN = new ClassValue<>() {
        @Override
        protected AtomicReference<@Nullable Object> computeValue(Class<?> type) {
            return new AtomicReference<>();
        }
    };

    private CallSites() {}

    /// The words of a call site without captured values are the same object each time.
    ///
    /// @param processes whether it is to run in another process
    /// @throws TaskRefusedException when it is nothing that another rank could find
    static Object describe(@Nullable Serializable function, String operation, boolean processes) {
        if (function == null) throw refused(operation, "the function is null");
        if (function instanceof Record) return function;
        AtomicReference<@Nullable Object> known = KNOWN.get(function.getClass());
        Object before = known.get();
        if (before instanceof Object[] whole) return whole;
        SerializedLambda lambda = Look.at(function);
        if (lambda == null) {
            throw refused(
                    operation,
                    "an object of " + function.getClass().getName()
                            + " is no lambda, no method reference and no record; another rank finds only those");
        }
        Object[] words = words(lambda, operation, processes);
        if (before == null) {
            check(function, words, lambda, operation, processes);
            known.set(lambda.getCapturedArgCount() == 0 ? words : Boolean.TRUE);
        }
        return words;
    }

    /// A lambda of this package's; a record that is one travels as the value that it is.
    private static boolean isFunction(@Nullable Object value) {
        return !(value instanceof Record)
                && (value instanceof RankFunction
                        || value instanceof RankCallable
                        || value instanceof RankOperator
                        || value instanceof CommFunction);
    }

    private static Object[] words(SerializedLambda lambda, String operation, boolean processes) {
        String[] names = new String[WORDS];
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
        if (self) captured[0] = null; // made anew where it is called
        return new Object[] {names, lambda.getImplMethodKind(), self, captured, shared};
    }

    /// Whether a call site has captured `this` of its class, of which another one is as good.
    private static boolean isThis(@Nullable Object captured, String capturing, String operation) {
        if (captured == null || captured instanceof Record || captured instanceof Enum) return false;
        Class<?> type = captured.getClass();
        if (!type.getName().equals(capturing)) return false;
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers())) continue;
                throw refused(
                        operation,
                        "the function uses `this`, a " + type.getName() + ", whose field `" + field.getName()
                                + "` stays on this rank: copy it to a local variable before, or make it static, or pass"
                                + " it as an argument");
            }
        }
        return true;
    }

    /// Once for each call site: whether it comes back as what it is.
    private static void check(
            Serializable function, Object[] words, SerializedLambda lambda, String operation, boolean processes) {
        String[] names = (String[]) words[0];
        if (processes && names[CLASS].startsWith("REPL.$JShell$")) {
            throw refused(
                    operation, "classes of JShell exist in its own process alone; RankPool.threads(n) runs them there");
        }
        Object back;
        try {
            back = new TaskCode(function.getClass().getClassLoader(), id -> new SharedValue<>(id, null, null))
                    .function(words);
        } catch (TaskRefusedException e) {
            throw refused(operation, String.valueOf(e.getMessage()));
        }
        SerializedLambda again = back instanceof Serializable s ? Look.at(s) : null;
        if (again != null && again.getInstantiatedMethodType().equals(lambda.getInstantiatedMethodType())) return;
        throw refused(
                operation,
                "a method reference to " + names[IMPL_CLASS].replace('/', '.') + "::" + names[IMPL_METHOD]
                        + " stands twice in " + names[CLASS] + ", for different types, and the compiler mixes them up"
                        + " (JDK-8376198); write it as a lambda");
    }

    static TaskRefusedException refused(String operation, String text) {
        String line = UserLine.here();
        return new TaskRefusedException(operation + ": " + text + (line.isEmpty() ? "" : " (" + line + ")"));
    }

    /// A stream that takes nothing, and notes what stands for the object: in any module it may ask.
    private static final class Look extends ObjectOutputStream {
        private @Nullable SerializedLambda found;

        private Look() throws IOException {
            super(OutputStream.nullOutputStream());
            enableReplaceObject(true);
        }

        static @Nullable SerializedLambda at(Serializable function) {
            try {
                Look look = new Look();
                look.writeObject(function);
                return look.found;
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
