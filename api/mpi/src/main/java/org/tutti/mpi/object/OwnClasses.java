package org.tutti.mpi.object;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Detects classes of the program, and accesses their instances.
final class OwnClasses {
    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

    /// The maximum number of parameter slots for a method handle. A constructor may have 254 slots, but an
    /// adapted handle supports fewer.
    private static final int MAX_HANDLE_SLOTS = 250;

    private static final MethodHandle MAKE = findMake();

    private OwnClasses() {}

    /// Returns the shape of a record, an enum or an interface of the program; null for any other class.
    ///
    /// @throws CodecException if the receiver would not be able to find the class by its name
    static @Nullable OwnShape shape(Class<?> type) {
        if (type.isHidden() && isOwn(type)) {
            throw new CodecException(type.getName() + " is a hidden class, which other ranks cannot find by name");
        }
        OwnShape shape = shapeOf(type);
        if (shape == null) return null;
        if (shape.name.length > ClassTable.MAX_NAME_BYTES) {
            throw new CodecException(ClassTable.shortened(type.getName()) + " has a name of " + shape.name.length
                    + " bytes, more than the " + ClassTable.MAX_NAME_BYTES + " that can be received");
        }
        return shape;
    }

    private static @Nullable OwnShape shapeOf(Class<?> type) {
        if (type.isEnum() && (isOwn(type) || BuiltIns.ENUMS.contains(type))) {
            return enumShape(type);
        } else if (type.isRecord() && isOwn(type)) {
            return recordShape(type);
        } else if (type.isInterface() && isOwn(type)) {
            return new OwnShape.OfInterface(type);
        }
        return null;
    }

    /// Returns the class named by a message, or null if `loader` does not find it. Loading runs no code of the
    /// class: the class remains uninitialised until it is known to be a class of the program.
    static @Nullable Class<?> find(String name, @Nullable ClassLoader loader) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    /// Returns whether the program's class loader has found the class, and the class is not part of the JDK.
    /// The second check is needed because that loader also loads some modules of the JDK.
    private static boolean isOwn(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        String module = type.getModule().isNamed() ? type.getModule().getName() : "";
        return loader != null
                && loader != ClassLoader.getPlatformClassLoader()
                && !module.startsWith("java.")
                && !module.startsWith("jdk.");
    }

    private static OwnShape enumShape(Class<?> type) {
        Enum<?>[] constants = (Enum<?>[]) type.getEnumConstants();
        List<String> names = new ArrayList<>();
        for (Enum<?> constant : constants) {
            names.add(constant.name());
        }
        return new OwnShape.OfEnum(type, names.hashCode(), constants);
    }

    private static OwnShape recordShape(Class<?> type) {
        RecordComponent[] components = type.getRecordComponents();
        int n = components.length;
        String[] names = new String[n];
        Class<?>[] declared = new Class<?>[n];
        Class<?>[] boxed = new Class<?>[n];
        boolean[] primitive = new boolean[n];
        MethodHandle[] accessors = new MethodHandle[n];
        List<String> signature = new ArrayList<>();
        try {
            for (int i = 0; i < n; i++) {
                names[i] = components[i].getName();
                declared[i] = components[i].getType();
                boxed[i] = MethodType.methodType(declared[i]).wrap().returnType();
                primitive[i] = declared[i].isPrimitive();
                signature.add(names[i] + ":" + declared[i].getName());
                Method accessor = components[i].getAccessor();
                accessor.setAccessible(true);
                accessors[i] = LOOKUP.unreflect(accessor).asType(MethodType.methodType(Object.class, Object.class));
            }
            Constructor<?> canonical = type.getDeclaredConstructor(declared);
            canonical.setAccessible(true);
            return new OwnShape.OfRecord(
                    type, signature.hashCode(), names, declared, boxed, primitive, accessors, constructor(canonical));
        } catch (InaccessibleObjectException | IllegalAccessException e) {
            throw notOpen(type, e);
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e); // every record has a canonical constructor
        }
    }

    /// Returns a handle `(Object[]) → Object` that calls the canonical constructor.
    private static MethodHandle constructor(Constructor<?> canonical) throws IllegalAccessException {
        int slots = 0;
        for (Class<?> type : canonical.getParameterTypes()) slots += type == long.class || type == double.class ? 2 : 1;
        MethodHandle made;
        if (slots > MAX_HANDLE_SLOTS) {
            made = MAKE.bindTo(canonical);
        } else {
            // Without this call, the handle of a varargs constructor would wrap an array in a second array.
            made = LOOKUP.unreflectConstructor(canonical)
                    .asFixedArity()
                    .asSpreader(Object[].class, canonical.getParameterCount());
        }
        return made.asType(MethodType.methodType(Object.class, Object[].class));
    }

    private static Object make(Constructor<?> constructor, Object[] values) throws Throwable {
        try {
            return constructor.newInstance(values);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static MethodHandle findMake() {
        try {
            return LOOKUP.findStatic(
                    OwnClasses.class, "make", MethodType.methodType(Object.class, Constructor.class, Object[].class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static CodecException notOpen(Class<?> type, Exception cause) {
        String owner = String.valueOf(type.getModule().getName());
        String codec = OwnClasses.class.getModule().isNamed()
                ? OwnClasses.class.getModule().getName()
                : "ALL-UNNAMED";
        String aPackage = type.getPackageName();
        return new CodecException(
                type.getName() + " is not accessible: module " + owner + " does not open the package; add `opens "
                        + aPackage
                        + " to org.tutti.mpi;` to the module-info or run with --add-opens " + owner + "/" + aPackage
                        + "="
                        + codec,
                cause);
    }
}
