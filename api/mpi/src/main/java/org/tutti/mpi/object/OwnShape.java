package org.tutti.mpi.object;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import org.jspecify.annotations.Nullable;

/// A class of the program, which is encoded by its name.
abstract sealed class OwnShape extends Shape {
    /// The bytes that represent the kind of a class in a message; see [Tag].
    static final int RECORD = 'R', ENUM = 'E', INTERFACE = 'I';

    final int kindByte;
    final byte[] name;
    /// The number of components or constants; see [Tag].
    final int count;

    final int hash;

    private OwnShape(Class<?> type, Kind kind, int tag, int kindByte, int count, int hash) {
        super(type, kind, tag);
        this.kindByte = kindByte;
        this.name = type.getName().getBytes(StandardCharsets.UTF_8);
        this.count = count;
        this.hash = hash;
    }

    static final class OfRecord extends OwnShape {
        final String[] components;
        /// The required class of each component's value; for a primitive type, the wrapper class.
        final Class<?>[] types;
        final boolean[] primitive;
        /// Whether each component needs the check of [ArrivingClass].
        final boolean[] narrow;
        /// The key type of each `EnumMap` component, which is needed for an empty map; null for other
        /// components.
        final @Nullable Class<?>[] enumKeys;
        /// The accessor of each component, `(Object) → Object`.
        final MethodHandle[] accessors;
        /// The canonical constructor as a handle `(Object[]) → Object`.
        final MethodHandle constructor;

        OfRecord(
                Class<?> type,
                int hash,
                String[] components,
                Class<?>[] declared,
                Class<?>[] types,
                boolean[] primitive,
                MethodHandle[] accessors,
                MethodHandle constructor) {
            super(type, Kind.RECORD, Tag.RECORD, RECORD, components.length, hash);
            this.components = components;
            this.types = types;
            this.primitive = primitive;
            narrow = new boolean[types.length];
            for (int i = 0; i < narrow.length; i++) narrow[i] = ArrivingClass.isNarrow(declared[i]);
            enumKeys = enumKeys(type);
            this.accessors = accessors;
            this.constructor = constructor;
        }
    }

    private static @Nullable Class<?>[] enumKeys(Class<?> type) {
        RecordComponent[] components = type.getRecordComponents();
        @Nullable Class<?>[] keys = new Class<?>[components.length];
        for (int i = 0; i < keys.length; i++) {
            if (components[i].getType() == EnumMap.class
                    && components[i].getGenericType() instanceof ParameterizedType p
                    && p.getActualTypeArguments()[0] instanceof Class<?> key) {
                keys[i] = key;
            }
        }
        return keys;
    }

    static final class OfEnum extends OwnShape {
        private final Enum<?>[] constants;

        OfEnum(Class<?> type, int hash, Enum<?>[] constants) {
            super(type, Kind.ENUM, Tag.ENUM, ENUM, constants.length, hash);
            this.constants = constants;
        }

        @Nullable
        Enum<?> constant(long ordinal) {
            return ordinal >= 0 && ordinal < constants.length ? constants[(int) ordinal] : null;
        }
    }

    /// An interface, which occurs only as the element type of an array, for example `Shape[]` with a sealed
    /// interface `Shape`.
    static final class OfInterface extends OwnShape {
        OfInterface(Class<?> type) {
            super(type, Kind.NONE, -1, INTERFACE, 0, 0);
        }
    }
}
