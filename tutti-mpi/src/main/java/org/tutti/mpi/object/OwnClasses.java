package org.tutti.mpi.object;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which classes are the program's own, and how the codec gets at them.
final class OwnClasses {
    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

    private OwnClasses() {}

    /// The shape of a record, an enum or an interface of the program; null for any other class.
    static @Nullable OwnShape shape(Class<?> type) {
        if (type.isEnum() && (isOwn(type) || BuiltIns.ENUMS.contains(type))) {
            return enumShape(type);
        } else if (type.isRecord() && isOwn(type)) {
            return recordShape(type);
        } else if (type.isInterface() && isOwn(type)) {
            return new OwnShape.OfInterface(type);
        }
        return null;
    }

    /// The class that a message names, or null if `loader` has none. Loading runs no code of it: it stays
    /// uninitialised until it proves to be one of the program's own.
    static @Nullable Class<?> find(String name, @Nullable ClassLoader loader) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    /// Found by the program's class loader and not part of the JDK, which keeps some modules in that loader too.
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
            // The handle of a varargs constructor would collect an array into another array.
            MethodHandle constructor = LOOKUP.unreflectConstructor(canonical)
                    .asFixedArity()
                    .asSpreader(Object[].class, n)
                    .asType(MethodType.methodType(Object.class, Object[].class));
            return new OwnShape.OfRecord(type, signature.hashCode(), names, boxed, primitive, accessors, constructor);
        } catch (InaccessibleObjectException | IllegalAccessException e) {
            throw notOpen(type, e);
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e); // every record has its canonical constructor
        }
    }

    private static CodecException notOpen(Class<?> type, Exception cause) {
        String owner = String.valueOf(type.getModule().getName());
        String codec = OwnClasses.class.getModule().isNamed()
                ? OwnClasses.class.getModule().getName()
                : "ALL-UNNAMED";
        String aPackage = type.getPackageName();
        return new CodecException(
                type.getName() + " cannot be reached: module " + owner + " does not open its package; write `opens "
                        + aPackage
                        + " to org.tutti.mpi;` in its module-info or run with --add-opens " + owner + "/" + aPackage
                        + "="
                        + codec,
                cause);
    }
}
