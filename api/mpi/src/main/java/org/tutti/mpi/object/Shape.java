package org.tutti.mpi.object;

import java.lang.reflect.Array;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The encoding of the instances of a class. It is computed once and stored with the class.
sealed class Shape permits OwnShape, Shape.OfArray {
    enum Kind {
        /// A value without elements, for example a number or a date: the type's tag, usually followed by the value.
        SCALAR,
        STRING,
        OPTIONAL,
        PRIMITIVES,
        ARRAY,
        ELEMENTS,
        SORTED_SET,
        ENUM_SET,
        ENTRIES,
        SORTED_MAP,
        ENUM_MAP,
        RECORD,
        ENUM,
        NONE
    }

    private static final ClassValue<Shape> SHAPES = new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
            return find(type);
        }
    };

    final Class<?> type;
    final Kind kind;
    final int tag;

    Shape(Class<?> type, Kind kind, int tag) {
        this.type = type;
        this.kind = kind;
        this.tag = tag;
    }

    static Shape of(Class<?> type) {
        return SHAPES.get(type);
    }

    /// An array of references: `dims` is the number of dimensions of the element type, 0 for `String[]` and 1
    /// for `int[][]`; the base is a built-in class, identified by the index in [BuiltIns#BASES], or a class of
    /// the program.
    static final class OfArray extends Shape {
        final int dims;
        final int base;
        final @Nullable OwnShape own;
        /// Whether elements need the check of [ArrivingClass].
        final boolean narrow;

        OfArray(Class<?> type, int dims, int base, @Nullable OwnShape own) {
            super(type, Kind.ARRAY, Tag.ARRAY);
            this.dims = dims;
            this.base = base;
            this.own = own;
            narrow = ArrivingClass.isNarrow(type.componentType());
        }
    }

    private static Shape find(Class<?> type) {
        Shape known = BuiltIns.shape(type);
        if (known != null) {
            return known;
        }
        if (type.isArray()) {
            return array(type);
        }
        Class<?> declared = type.getSuperclass() != null && type.getSuperclass().isEnum() ? type.getSuperclass() : type;
        if (declared.isEnum() || type.isRecord()) {
            OwnShape own = OwnClasses.shape(declared);
            return own == null ? none(type) : own;
        }
        // The tests that follow include collections of other libraries and languages: lists, sets and maps are
        // equal if their content is equal.
        boolean immutable = type.getName().startsWith("java.util.ImmutableCollections$");
        if (List.class.isAssignableFrom(type)) {
            return new Shape(type, Kind.ELEMENTS, Tag.LIST);
        } else if (Set.class.isAssignableFrom(type)) {
            return new Shape(type, Kind.ELEMENTS, immutable ? Tag.SET_OF : Tag.SET);
        } else if (Map.class.isAssignableFrom(type)) {
            return new Shape(type, Kind.ENTRIES, immutable ? Tag.MAP_OF : Tag.MAP);
        }
        return none(type);
    }

    private static Shape array(Class<?> type) {
        Class<?> base = type.componentType();
        int dims = 0;
        while (base.isArray()) {
            base = base.componentType();
            dims++;
        }
        int index = BuiltIns.BASES.indexOf(base);
        if (index >= 0) {
            return new OfArray(type, dims, index, null);
        }
        OwnShape own = OwnClasses.shape(base);
        return own == null ? none(type) : new OfArray(type, dims, -1, own);
    }

    private static Shape none(Class<?> type) {
        return new Shape(type, Kind.NONE, -1);
    }

    /// Returns class and size of `value` as used in error messages, for example `java.util.ArrayList (of 3)`.
    static String describe(Object value) {
        Class<?> type = value.getClass();
        String name = type.getTypeName();
        if (name.startsWith("java.util.ImmutableCollections$") || name.startsWith("java.util.Collections$")) {
            name = "unmodifiable java.util." + (value instanceof List ? "List" : value instanceof Set ? "Set" : "Map");
        }
        return switch (value) {
            case java.util.Collection<?> c -> name + " (of " + c.size() + ")";
            case Map<?, ?> m -> name + " (of " + m.size() + ")";
            case Object a when type.isArray() -> name + " (of " + Array.getLength(a) + ")";
            default -> name;
        };
    }

    /// Returns the start of a path into an object of this class, for example `Job`, `ArrayList` or `List`. For
    /// `Object[]`, returns `Object`, because a step such as `[3]` follows.
    static String root(Class<?> type) {
        Shape shape = of(type);
        return switch (shape.tag) {
            case Tag.LIST -> "List";
            case Tag.SET, Tag.SET_OF -> "Set";
            case Tag.MAP, Tag.MAP_OF -> "Map";
            default -> type.isArray() ? type.componentType().getSimpleName() : type.getSimpleName();
        };
    }
}
