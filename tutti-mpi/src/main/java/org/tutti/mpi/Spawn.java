package org.tutti.mpi;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.SerializedLambda;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Fault;
import org.tutti.spi.Spawner;

/// One call of [Tutti#spawn].
final class Spawn {
    private Spawn() {}

    static void run(int size, Spawner.Entry entry, List<String> arguments) {
        if (size < 1) {
            throw MpiException.argument(ErrorClass.ERR_ARG, "spawn", "size=" + size + " is no number of ranks", null);
        }
        try {
            launcher().spawn(size, entry, arguments);
        } catch (Fault fault) {
            throw MpiException.of(fault);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw MpiException.job(ErrorClass.ERR_PROC_FAILED, "spawn", "interrupted; its ranks were stopped", null, e);
        }
    }

    private static Spawner launcher() {
        for (Spawner spawner : ServiceLoader.load(Spawner.class, Spawn.class.getClassLoader())) return spawner;
        throw MpiException.job(
                ErrorClass.ERR_OTHER,
                "spawn",
                "there is nothing that starts processes; put tutti-launch.jar on the class path or the module path",
                null);
    }

    /// Finds the method behind a reference or a lambda: a process of its own can call that and nothing else.
    static Spawner.Entry entry(Tutti.Main main) {
        SerializedLambda lambda = lambda(main);
        String where = "; it is to run in another process, so give a static method, as in Worker::main";
        if (lambda == null) {
            throw MpiException.argument(
                    ErrorClass.ERR_ARG,
                    "spawn",
                    "an object of " + main.getClass().getName() + " is no method reference and no lambda" + where,
                    null);
        }
        Class<?> type =
                named(lambda.getImplClass().replace('/', '.'), main.getClass().getClassLoader());
        int captured = lambda.getCapturedArgCount();
        if (captured > 0) {
            throw MpiException.argument(
                    ErrorClass.ERR_ARG,
                    "spawn",
                    "what " + type.getName() + " is to run holds " + captured
                            + (captured == 1 ? " value" : " values")
                            + " of this process, `this` perhaps; hand values over as arguments" + where,
                    null);
        }
        if (lambda.getImplMethodKind() != MethodHandleInfo.REF_invokeStatic) {
            throw MpiException.argument(
                    ErrorClass.ERR_ARG,
                    "spawn",
                    type.getName() + "::" + lambda.getImplMethodName() + " is not static" + where,
                    null);
        }
        return new Spawner.Entry(type, lambda.getImplMethodName(), lambda.getImplMethodSignature());
    }

    private static Class<?> named(String name, @Nullable ClassLoader loader) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e); // a lambda's own class was loaded by the same loader
        }
    }

    /// What a serializable lambda says of itself; null for another object. Asked through serialization,
    /// which may do so in any module.
    private static @Nullable SerializedLambda lambda(Tutti.Main main) {
        Look look;
        try {
            look = new Look();
            look.writeObject(main);
        } catch (IOException | SecurityException e) {
            return null;
        }
        return look.found;
    }

    /// A stream that takes nothing, and notes what stands for the object.
    private static final class Look extends ObjectOutputStream {
        private @Nullable SerializedLambda found;

        Look() throws IOException {
            super(OutputStream.nullOutputStream());
            enableReplaceObject(true);
        }

        @Override
        protected @Nullable Object replaceObject(Object object) {
            if (object instanceof SerializedLambda lambda) found = lambda;
            return null;
        }
    }
}
