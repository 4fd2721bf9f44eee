package mpi;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.util.HashMap;
import java.util.Map;

/// The attributes of one communicator, datatype or window.
///
/// Values are stored serialized, so that each `get` returns an equal copy. The bytes never leave the process. For
/// an error, the instance methods throw a [Mistake], which the caller passes to the error handler of the
/// communicator, datatype or window.
final class Attributes {
    /// The kind of object to which a keyval applies.
    enum Kind {
        COMMUNICATOR,
        DATATYPE,
        WINDOW
    }

    /// A keyval.
    private static final class Keyval {
        final Kind kind;

        /// The number of objects that have an attribute with this keyval.
        int objects;

        /// Set by `freeKeyval`; the keyval is valid until the last attribute with this keyval has been deleted
        /// (MPI 4.1, section 7.7.2).
        boolean isFreed;

        Keyval(Kind kind) {
            this.kind = kind;
        }
    }

    /// Also the lock of all attributes.
    private static final Map<Integer, Keyval> KEYVALS = new HashMap<>();

    /// Smaller keyvals are predefined.
    private static int next = MPI.WIN_DISP_UNIT + 1;

    private final Kind kind;
    private final Map<Integer, byte[]> values = new HashMap<>();

    Attributes(Kind kind) {
        this.kind = kind;
    }

    static int createKey(Kind kind) {
        synchronized (KEYVALS) {
            KEYVALS.put(next, new Keyval(kind));
            return next++;
        }
    }

    static void freeKey(Kind kind, int key) throws MPIException {
        synchronized (KEYVALS) {
            Keyval keyval = KEYVALS.get(key);
            if (keyval != null && keyval.kind == kind && !keyval.isFreed) {
                keyval.isFreed = true;
                removeUnused(key, keyval);
                return;
            }
        }
        throw Failures.of(unknown(key));
    }

    private static void removeUnused(int key, Keyval keyval) {
        if (keyval.isFreed && keyval.objects == 0) KEYVALS.remove(key);
    }

    private Keyval keyval(int key) {
        Keyval keyval = KEYVALS.get(key);
        if (keyval == null || keyval.kind != kind) throw unknown(key);
        return keyval;
    }

    private static Mistake unknown(int key) {
        return new Mistake(
                MPI.ERR_KEYVAL, "MPI_ERR_KEYVAL: keyval=" + key + " was not created by createKeyval, or was freed");
    }

    Attributes copy() {
        Attributes copy = new Attributes(kind);
        synchronized (KEYVALS) {
            copy.values.putAll(values);
            for (int key : values.keySet()) keyval(key).objects++;
        }
        return copy;
    }

    /// Returns null if the object has no such attribute.
    Object get(int key) {
        byte[] bytes;
        synchronized (KEYVALS) {
            keyval(key);
            bytes = values.get(key);
        }
        if (bytes == null) return null;
        try (ObjectInputStream in = new OwnClasses(bytes)) {
            return in.readObject();
        } catch (IOException | ClassNotFoundException e) {
            throw new Mistake(MPI.ERR_OTHER, "MPI_ERR_OTHER: the attribute cannot be deserialized: " + e);
        }
    }

    void set(int key, Object value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        synchronized (KEYVALS) {
            keyval(key);
        }
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(value);
        } catch (IOException e) {
            throw new Mistake(MPI.ERR_OTHER, "MPI_ERR_OTHER: the attribute cannot be serialized: " + e);
        }
        synchronized (KEYVALS) {
            Keyval keyval = keyval(key);
            if (values.put(key, bytes.toByteArray()) == null) keyval.objects++;
        }
    }

    void delete(int key) {
        synchronized (KEYVALS) {
            Keyval keyval = keyval(key);
            if (values.remove(key) == null) {
                throw new Mistake(MPI.ERR_OTHER, "MPI_ERR_OTHER: no attribute with keyval=" + key);
            }
            keyval.objects--;
            removeUnused(key, keyval);
        }
    }

    /// Deletes all attributes; the object has been freed.
    void clear() {
        synchronized (KEYVALS) {
            while (!values.isEmpty()) delete(values.keySet().iterator().next());
        }
    }

    /// Resolves classes of the program.
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
                return super.resolveClass(description); // the names of primitive types are not classes
            }
        }
    }
}
