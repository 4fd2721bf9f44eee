package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The layouts of the components of a record: C's layout, and a layout without gaps. For each of these two
/// layouts, one method handle reads a record and one writes a record. These handles are composed of the handles
/// of the components, so that the JVM compiles each of them like a method.
final class RecordShape {
    /// The maximum number of primitive components. A handle that reads a record is composed with a segment and
    /// an offset for each component, which are three parameter slots, and a method handle has at most 255
    /// slots.
    private static final int MOST_COMPONENTS = 80;

    private static final Map<Class<?>, Datatype> PRIMITIVES = Map.of(
            byte.class, Datatype.BYTE,
            boolean.class, Datatype.BOOLEAN,
            char.class, Datatype.CHAR,
            short.class, Datatype.SHORT,
            int.class, Datatype.INT,
            long.class, Datatype.LONG,
            float.class, Datatype.FLOAT,
            double.class, Datatype.DOUBLE);

    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
    private static final MethodHandle ADD = find("add", long.class, long.class, long.class);
    private static final MethodHandle TO_BOOLEAN = find("toBoolean", boolean.class, byte.class);
    private static final MethodHandle OF_BOOLEAN = find("ofBoolean", byte.class, boolean.class);
    private static final MethodType WRITE =
            MethodType.methodType(void.class, MemorySegment.class, long.class, Record.class);
    private static final MethodType INNER = MethodType.methodType(Record.class, Record.class);
    private static final MethodType READ = MethodType.methodType(Record.class, MemorySegment.class, long.class);

    private static final ClassValue<RecordShape> SHAPES = new ClassValue<>() {
        @Override
        protected RecordShape computeValue(Class<?> type) {
            return new RecordShape(type);
        }
    };

    private final Class<?> owner;
    private final Datatype type;

    /// The handles for C's layout, and for the layout without gaps.
    private final Access spaced;

    private final Access packed;

    /// The components that are records themselves.
    private final List<Inner> inner;

    /// A nested record: `get` is `(Record) → Record`.
    private record Inner(MethodHandle get, RecordShape shape) {}

    /// The handles of a layout: `write` is `(MemorySegment, long, Record) → void`, and `read` is
    /// `(MemorySegment, long) → Record`.
    private record Access(MethodHandle write, MethodHandle read) {}

    /// A primitive component of the record or of a nested record.
    private record Leaf(String name, Datatype basic) {}

    private RecordShape(Class<?> owner) {
        this.owner = owner;
        List<Leaf> leaves = new ArrayList<>();
        collect(owner, owner.getSimpleName(), List.of(owner), leaves);
        if (leaves.isEmpty()) throw wrong(owner, "has no components; declare at least one");
        long[] places = new long[leaves.size()], dense = new long[leaves.size()];
        Datatype[] types = new Datatype[leaves.size()];
        long end = layOut(owner, 0, places, new int[1]);
        long at = 0;
        for (int i = 0; i < types.length; i++) {
            types[i] = leaves.get(i).basic;
            dense[i] = at;
            at += types[i].sizeBytes();
        }
        int[] ones = new int[types.length];
        Arrays.fill(ones, 1);
        type = Datatype.struct(ones, places, types).resized(0, end).named(owner.getSimpleName());
        spaced = access(places);
        packed = access(dense);
        inner = Arrays.stream(owner.getRecordComponents())
                .filter(c -> c.getType().isRecord())
                .map(c -> new Inner(accessor(owner, c).asType(INNER), of(c.getType())))
                .toList();
    }

    static RecordShape of(Class<?> owner) {
        return SHAPES.get(owner);
    }

    /// Returns the struct, as C lays it out.
    Datatype type() {
        return type;
    }

    /// Returns whether no nested record of `value` is null.
    boolean isWhole(Record value) {
        for (int i = 0; i < inner.size(); i++) {
            Inner in = inner.get(i);
            Record part = part(in, value);
            if (part == null || !in.shape.isWhole(part)) return false;
        }
        return true;
    }

    private @Nullable Record part(Inner in, Record value) {
        try {
            return (Record) in.get.invokeExact(value);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw threw(e);
        }
    }

    private IllegalStateException threw(Throwable why) {
        return new IllegalStateException("an accessor of " + owner.getName() + " threw " + why, why);
    }

    /// Writes a record, for which [#isWhole] is true, in the layout of [#type], or without gaps if `dense` is
    /// set.
    void write(boolean dense, MemorySegment to, long at, Record value) {
        try {
            (dense ? packed : spaced).write.invokeExact(to, at, value);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw threw(e);
        }
    }

    Record read(boolean dense, MemorySegment from, long at) {
        try {
            return (Record) (dense ? packed : spaced).read.invokeExact(from, at);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("the constructor of " + owner.getName() + " threw " + e, e);
        }
    }

    /// @param within the records that contain `owner`; the last is `owner` itself
    private static void collect(Class<?> owner, String path, List<Class<?>> within, List<Leaf> leaves) {
        if (!owner.isRecord()) throw wrong(owner, "is not a record");
        for (RecordComponent c : owner.getRecordComponents()) {
            String name = path + "." + c.getName();
            Datatype basic = PRIMITIVES.get(c.getType());
            boolean again = within.contains(c.getType());
            if (basic != null) {
                leaves.add(new Leaf(name, basic));
            } else if (c.getType().isRecord() && !again) {
                List<Class<?>> deeper = new ArrayList<>(within);
                deeper.add(c.getType());
                collect(c.getType(), name, deeper, leaves);
            } else {
                String what = name + " is of type " + c.getType().getSimpleName() + (again ? ", which contains it" : "")
                        + "; a struct consists of primitives and records of primitives; send objects with sendObject";
                throw MpiException.argument(ErrorClass.ERR_TYPE, "ofRecord", what, null);
            }
        }
        if (leaves.size() > MOST_COMPONENTS) {
            throw wrong(owner, "has more than " + MOST_COMPONENTS + " components; use Datatype.struct");
        }
    }

    /// Fills in the offsets of the primitive components of `owner`, which begins at `start`. Returns the end of
    /// `owner`.
    private static long layOut(Class<?> owner, long start, long[] places, int[] next) {
        long at = start;
        for (RecordComponent c : owner.getRecordComponents()) {
            Class<?> component = c.getType();
            at = Math.ceilDiv(at, alignment(component)) * alignment(component);
            Datatype basic = PRIMITIVES.get(component);
            if (basic == null) {
                at = layOut(component, at, places, next);
            } else {
                places[next[0]++] = at;
                at += basic.sizeBytes();
            }
        }
        return Math.ceilDiv(at, alignment(owner)) * alignment(owner);
    }

    private static long alignment(Class<?> component) {
        Datatype basic = PRIMITIVES.get(component);
        if (basic != null) return basic.sizeBytes();
        long most = 1;
        for (RecordComponent c : component.getRecordComponents()) most = Math.max(most, alignment(c.getType()));
        return most;
    }

    // ---- handles

    private Access access(long[] places) {
        int[] next = new int[1];
        MethodHandle read = reader(owner, places, next).asType(READ);
        next[0] = 0;
        MethodHandle write = writer(owner, MethodHandles.identity(owner), places, next);
        return new Access(write.asType(WRITE), read);
    }

    /// Returns a handle `(MemorySegment, long) → owner`.
    private static MethodHandle reader(Class<?> owner, long[] places, int[] next) {
        MethodHandle made = constructor(owner);
        RecordComponent[] components = owner.getRecordComponents();
        // all readers share the two parameters, segment and offset
        int[] order = new int[2 * components.length];
        for (int i = 0; i < components.length; i++) order[2 * i + 1] = 1;
        MethodHandle[] readers = new MethodHandle[components.length];
        for (int i = 0; i < components.length; i++) {
            Class<?> type = components[i].getType();
            readers[i] =
                    PRIMITIVES.containsKey(type) ? at(places[next[0]++], getter(type)) : reader(type, places, next);
        }
        for (int i = components.length - 1; i >= 0; i--) made = MethodHandles.collectArguments(made, i, readers[i]);
        MethodType all = MethodType.methodType(owner, MemorySegment.class, long.class);
        return MethodHandles.permuteArguments(made, all, order);
    }

    /// Returns a handle `(MemorySegment, long, root) → void` that writes an `owner`; `path` returns this
    /// `owner` from the root.
    private static MethodHandle writer(Class<?> owner, MethodHandle path, long[] places, int[] next) {
        MethodHandle all = null;
        for (RecordComponent c : owner.getRecordComponents()) {
            MethodHandle component = MethodHandles.filterReturnValue(path, accessor(owner, c));
            MethodHandle one = PRIMITIVES.containsKey(c.getType())
                    ? MethodHandles.filterArguments(at(places[next[0]++], setter(c.getType())), 2, component)
                    : writer(c.getType(), component, places, next);
            all = all == null ? one : MethodHandles.foldArguments(one, all);
        }
        if (all == null) throw wrong(owner, "has no components; declare at least one");
        return all;
    }

    /// Returns a handle that executes `access` at an offset that is increased by `place` bytes.
    private static MethodHandle at(long place, MethodHandle access) {
        MethodHandle add = MethodHandles.insertArguments(ADD, 1, place);
        return MethodHandles.filterArguments(access, 1, add);
    }

    private static MethodHandle find(String name, Class<?> result, Class<?>... parameters) {
        try {
            return LOOKUP.findStatic(RecordShape.class, name, MethodType.methodType(result, parameters));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static long add(long a, long b) {
        return a + b;
    }

    private static boolean toBoolean(byte b) {
        return b != 0;
    }

    private static byte ofBoolean(boolean b) {
        return (byte) (b ? 1 : 0);
    }

    private static ValueLayout layout(Class<?> type) {
        if (type == byte.class || type == boolean.class) return ValueLayout.JAVA_BYTE;
        if (type == char.class) return ValueLayout.JAVA_CHAR_UNALIGNED;
        if (type == short.class) return ValueLayout.JAVA_SHORT_UNALIGNED;
        if (type == int.class) return ValueLayout.JAVA_INT_UNALIGNED;
        if (type == long.class) return ValueLayout.JAVA_LONG_UNALIGNED;
        return type == float.class ? ValueLayout.JAVA_FLOAT_UNALIGNED : ValueLayout.JAVA_DOUBLE_UNALIGNED;
    }

    /// Returns a handle `(MemorySegment, long) → type`.
    private static MethodHandle getter(Class<?> type) {
        MethodHandle get = layout(type).varHandle().toMethodHandle(VarHandle.AccessMode.GET);
        return type == boolean.class ? MethodHandles.filterReturnValue(get, TO_BOOLEAN) : get;
    }

    /// Returns a handle `(MemorySegment, long, type) → void`.
    private static MethodHandle setter(Class<?> type) {
        MethodHandle set = layout(type).varHandle().toMethodHandle(VarHandle.AccessMode.SET);
        return type == boolean.class ? MethodHandles.filterArguments(set, 2, OF_BOOLEAN) : set;
    }

    private static MethodHandle constructor(Class<?> owner) {
        Class<?>[] types = Arrays.stream(owner.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);
        try {
            Constructor<?> canonical = owner.getDeclaredConstructor(types);
            canonical.setAccessible(true);
            return LOOKUP.unreflectConstructor(canonical);
        } catch (InaccessibleObjectException | IllegalAccessException e) {
            throw notOpen(owner, e);
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e); // every record has a canonical constructor
        }
    }

    private static MethodHandle accessor(Class<?> owner, RecordComponent component) {
        try {
            Method accessor = component.getAccessor();
            accessor.setAccessible(true);
            return LOOKUP.unreflect(accessor);
        } catch (InaccessibleObjectException | IllegalAccessException e) {
            throw notOpen(owner, e);
        }
    }

    private static MpiException notOpen(Class<?> owner, Exception cause) {
        MpiException e = wrong(
                owner,
                "cannot be reached: module " + owner.getModule().getName() + " does not open its package; write `opens "
                        + owner.getPackageName() + " to org.tutti.mpi;` in its module-info");
        e.addSuppressed(cause);
        return e;
    }

    private static MpiException wrong(Class<?> owner, String what) {
        return MpiException.argument(ErrorClass.ERR_TYPE, "ofRecord", owner.getName() + " " + what, null);
    }
}
