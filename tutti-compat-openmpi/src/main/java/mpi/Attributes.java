package mpi;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// What is kept at a communicator, a datatype or a window: serialized, so that each `get` gives an equal copy, and so
/// does
/// a duplicate. The bytes never leave the process.
final class Attributes {
    /// Those before are predefined.
    private static final AtomicInteger NEXT = new AtomicInteger(MPI.WIN_DISP_UNIT + 1);

    private static final Set<Integer> KEYS = new HashSet<>();

    private final Map<Integer, byte[]> values = new ConcurrentHashMap<>();

    static int createKey() {
        int key = NEXT.getAndIncrement();
        synchronized (KEYS) {
            KEYS.add(key);
        }
        return key;
    }

    static void freeKey(int key) throws MPIException {
        synchronized (KEYS) {
            if (KEYS.remove(key)) return;
        }
        throw noKey(key);
    }

    private static void check(int key) throws MPIException {
        synchronized (KEYS) {
            if (KEYS.contains(key)) return;
        }
        throw noKey(key);
    }

    private static MPIException noKey(int key) {
        return Failures.of(MPI.ERR_KEYVAL, "MPI_ERR_KEYVAL: keyval=" + key + " is none that createKeyval has made");
    }

    Attributes copy() {
        Attributes copy = new Attributes();
        copy.values.putAll(values);
        return copy;
    }

    /// Null when nothing is kept there.
    Object get(int key) throws MPIException {
        check(key);
        byte[] bytes = values.get(key);
        if (bytes == null) return null;
        try (ObjectInputStream in = new OwnClasses(bytes)) {
            return in.readObject();
        } catch (IOException | ClassNotFoundException e) {
            throw Failures.of(MPI.ERR_OTHER, "MPI_ERR_OTHER: the attribute cannot be read: " + e);
        }
    }

    void set(int key, Object value) throws MPIException {
        check(key);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(value);
        } catch (IOException e) {
            throw Failures.of(MPI.ERR_OTHER, "MPI_ERR_OTHER: the attribute cannot be serialized: " + e);
        }
        values.put(key, bytes.toByteArray());
    }

    void delete(int key) throws MPIException {
        check(key);
        values.remove(key);
    }

    /// Finds the program's classes.
    private static final class OwnClasses extends ObjectInputStream {
        OwnClasses(byte[] bytes) throws IOException {
            super(new ByteArrayInputStream(bytes));
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            if (loader == null || description.getName().startsWith("[")) return super.resolveClass(description);
            try {
                return Class.forName(description.getName(), false, loader);
            } catch (ClassNotFoundException e) {
                return super.resolveClass(description); // the names of primitive types are no classes
            }
        }
    }
}
