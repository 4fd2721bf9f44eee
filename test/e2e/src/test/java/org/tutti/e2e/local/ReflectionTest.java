package org.tutti.e2e.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.mpi.Buf.buf;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Cartesian;
import org.tutti.mpi.Comm;
import org.tutti.mpi.DistGraph;
import org.tutti.mpi.Graph;
import org.tutti.mpi.Intercomm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;
import org.tutti.mpi.Status;
import org.tutti.mpi.Tutti;
import org.tutti.mpi.Window;

/// Dynamic languages and mocks call methods by reflection, which requires that the declaring class is public.
@Timeout(120)
class ReflectionTest {
    private static boolean isPublic(Class<?> type) {
        return Modifier.isPublic(type.getModifiers())
                && (type.getEnclosingClass() == null || isPublic(type.getEnclosingClass()));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Comm.class,
                OwnedComm.class,
                Intercomm.class,
                Cartesian.class,
                Graph.class,
                DistGraph.class,
                MpiFile.class,
                Window.class
            })
    void handleMethodsHavePublicOwners(Class<?> type) {
        assertThat(type.getMethods()).hasSizeGreaterThan(50);
        assertThat(Arrays.stream(type.getMethods()).filter(m -> !isPublic(m.getDeclaringClass())))
                .isEmpty();
        assertThat(Arrays.stream(type.getFields()).filter(f -> !isPublic(f.getDeclaringClass())))
                .isEmpty();
    }

    /// Includes requests of classes that a program cannot see.
    @Test
    void requestMethodsHavePublicOwners() {
        List<Class<?>> kinds = new ArrayList<>(List.of(Request.class));
        for (int i = 0; i < kinds.size(); i++) {
            Class<?>[] permitted = kinds.get(i).getPermittedSubclasses();
            if (permitted != null) kinds.addAll(List.of(permitted));
        }
        assertThat(kinds).hasSizeGreaterThan(8);
        for (Class<?> kind : kinds) {
            assertThat(Arrays.stream(kind.getMethods())
                            .filter(m -> !isPublic(m.getDeclaringClass()) && !m.isBridge() && !isObjects(m)))
                    .as(kind.getName())
                    .isEmpty();
        }
    }

    private static boolean isObjects(Method m) {
        return Stream.of(Object.class.getMethods())
                .anyMatch(o ->
                        o.getName().equals(m.getName()) && Arrays.equals(o.getParameterTypes(), m.getParameterTypes()));
    }

    /// Selects a method like Clojure: by the name, and the number and classes of the arguments.
    private static Object call(Object target, String name, Object... arguments) {
        for (Method m : target.getClass().getMethods()) {
            if (!m.getName().equals(name) || !accepts(m.getParameterTypes(), arguments)) continue;
            try {
                return m.invoke(target, arguments);
            } catch (InvocationTargetException e) {
                throw new AssertionError(name + " threw", e.getCause());
            } catch (IllegalAccessException e) {
                throw new AssertionError(e);
            }
        }
        throw new AssertionError("no method " + name + " for " + Arrays.toString(arguments));
    }

    private static boolean accepts(Class<?>[] parameters, Object... arguments) {
        if (parameters.length != arguments.length) return false;
        for (int i = 0; i < parameters.length; i++) {
            Class<?> wanted = parameters[i] == int.class ? Integer.class : parameters[i];
            if (!wanted.isInstance(arguments[i])) return false;
        }
        return true;
    }

    @Test
    void programCallsByReflection() {
        Tutti.local(2, ReflectionTest::exchange);
    }

    private static void exchange(Mpi mpi) {
        Object world = call(mpi, "world");
        Integer me = (Integer) call(world, "rank"), other = 1 - me;
        int[] in = new int[1];
        if (me == 0) {
            call(world, "send", buf(new int[] {7}), other, 3);
            call(world, "sendObject", "seven", other);
        } else {
            Status s = (Status) call(world, "recv", buf(in), other, 3);
            assertThat(call(s, "count")).isEqualTo(1L);
            assertThat(in).containsExactly(7);
            assertThat(call(world, "recvObject", String.class)).isEqualTo("seven");
        }
        Object request = call(world, "isendrecv", buf(new int[] {me}), other, buf(in), other);
        call(request, "await");
        call(request, "cancel");
        assertThat(in).containsExactly(other);
        PersistentRequest barrier = (PersistentRequest) call(world, "barrierInit");
        call(barrier, "start");
        call(barrier, "await");
        call(barrier, "close");
        call(world, "allreduce", buf(in), Op.SUM);
        assertThat(in).containsExactly(1);
        assertThat(buf(in)).isInstanceOf(Buf.class);
    }
}
