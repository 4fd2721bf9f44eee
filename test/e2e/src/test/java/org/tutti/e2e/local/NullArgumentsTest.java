package org.tutti.e2e.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.mpi.Buf.buf;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Communicator;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Group;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Tutti;
import org.tutti.mpi.Window;

/// Every public method of `org.tutti.mpi` rejects null for a required argument with an [MpiException], before
/// it sends a message. The test calls all methods by reflection, each time with null for one argument.
@Timeout(300)
class NullArgumentsTest {
    @TempDir
    private Path directory;

    /// The methods that the test does not call: methods that end the job, start processes or wait for a
    /// different job, and methods of `java.lang.Enum`.
    private static final Set<String> EXCLUDED =
            Set.of("abort", "spawn", "local", "close", "equals", "accept", "connect", "disconnect", "init", "valueOf");

    private final Map<Class<?>, Object> values = new HashMap<>();
    private final List<String> wrong = new ArrayList<>();
    private int tried;

    @Test
    void nullArgumentsAreRejected() {
        Tutti.local(1, this::tryAll);
        assertThat(wrong).isEmpty();
        assertThat(tried).isGreaterThan(400);
    }

    private void tryAll(Mpi mpi) throws Exception {
        Comm world = mpi.world();
        values.put(Mpi.class, mpi);
        values.put(Comm.class, world);
        values.put(Communicator.class, world);
        values.put(Buf.class, buf(new int[1]));
        values.put(Op.class, Op.SUM);
        values.put(Datatype.class, Datatype.INT);
        values.put(String.class, "text");
        values.put(Object.class, "object");
        values.put(Class.class, String.class);
        values.put(Group.class, world.group());
        values.put(MemorySegment.class, mpi.alloc(64));
        String path = directory.resolve("file").toString();
        try (OwnedComm own = world.dup();
                Requests requests = mpi.requests();
                Window window = Window.allocate(world, 64, 8);
                MpiFile file = MpiFile.open(world, path, MpiFile.Mode.CREATE, MpiFile.Mode.RDWR)) {
            values.put(OwnedComm.class, own);
            values.put(Requests.class, requests);
            values.put(Window.class, window);
            values.put(MpiFile.class, file);
            for (Class<?> type : types()) {
                for (Method method : methods(type)) {
                    if (isTried(method)) tryEach(type, method);
                }
            }
        }
    }

    /// Returns the methods that the type declares or inherits from a non-public class.
    private static List<Method> methods(Class<?> type) {
        List<Method> methods = new ArrayList<>();
        Class<?> each = type;
        do {
            methods.addAll(List.of(each.getDeclaredMethods()));
            each = each.getSuperclass();
        } while (each != null && !Modifier.isPublic(each.getModifiers()));
        return methods;
    }

    private static List<Class<?>> types() throws Exception {
        URI place = Mpi.class.getResource("Mpi.class").toURI();
        List<Class<?>> types = new ArrayList<>();
        for (String name : names(place)) {
            Class<?> type = Class.forName("org.tutti.mpi." + name, false, Mpi.class.getClassLoader());
            if (Modifier.isPublic(type.getModifiers())) types.add(type);
        }
        return types;
    }

    /// Returns the class names in a directory or in a jar, depending on the build.
    private static List<String> names(URI place) throws IOException {
        if (!place.getScheme().equals("jar")) return names(Path.of(place).getParent());
        try (FileSystem jar = FileSystems.newFileSystem(place, Map.of())) {
            return names(jar.provider().getPath(place).getParent());
        }
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".class") && !name.endsWith("-info.class"))
                    .map(name -> name.substring(0, name.length() - ".class".length()))
                    .sorted()
                    .toList();
        }
    }

    private static boolean isTried(Method method) {
        return Modifier.isPublic(method.getModifiers())
                && !method.isBridge()
                && !method.isSynthetic()
                && !EXCLUDED.contains(method.getName());
    }

    private @Nullable Object target(Class<?> type) {
        return values.values().stream().filter(type::isInstance).findFirst().orElse(null);
    }

    private void tryEach(Class<?> type, Method method) throws ReflectiveOperationException {
        Object target = Modifier.isStatic(method.getModifiers()) ? null : target(type);
        if (target == null && !Modifier.isStatic(method.getModifiers())) return;
        Class<?>[] parameters = method.getParameterTypes();
        // finds the bridge method if the declaring class is not public
        Method called = type.getMethod(method.getName(), parameters);
        AnnotatedType[] annotated = method.getAnnotatedParameterTypes();
        for (int i = 0; i < parameters.length; i++) {
            boolean isValue = method.getGenericParameterTypes()[i] instanceof java.lang.reflect.TypeVariable<?>
                    || parameters[i] == Object.class;
            if (parameters[i].isPrimitive() || isValue || annotated[i].isAnnotationPresent(Nullable.class)) continue;
            Object[] arguments = Stream.of(parameters).map(this::value).toArray();
            arguments[i] = null;
            tried++;
            try {
                called.invoke(target, arguments);
                wrong.add(method + ": null for argument " + (i + 1) + " is accepted");
            } catch (InvocationTargetException e) {
                if (!(e.getCause() instanceof MpiException))
                    wrong.add(method + ": null for argument " + (i + 1) + ": " + e.getCause());
            }
        }
    }

    /// Returns a value of this type that a method accepts, or checks only after the null argument.
    private @Nullable Object value(Class<?> type) {
        Object known = values.get(type);
        if (known != null) return known;
        if (type.isPrimitive()) return Array.get(Array.newInstance(type, 1), 0);
        if (type.isArray()) return Array.newInstance(type.getComponentType(), 1);
        if (type.isEnum()) return type.getEnumConstants()[0];
        if (!type.isInterface()) return null;
        if (type == Map.class) return Map.of();
        return Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) ->
                        method.getReturnType().isPrimitive() && method.getReturnType() != void.class
                                ? value(method.getReturnType())
                                : null);
    }
}
