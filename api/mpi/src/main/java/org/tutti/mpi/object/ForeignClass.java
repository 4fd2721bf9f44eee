package org.tutti.mpi.object;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;

/// The languages whose classes are recognized, so that the error message can name the alternative. Classes are
/// found by name, because the libraries of the languages are not dependencies.
enum ForeignClass {
    KOTLIN_DATA(", because a data class is not a record; declare it as @JvmRecord data class"),
    SCALA_COLLECTION("; convert it with asJava of scala.jdk.CollectionConverters"),
    SCALA_CASE(
            ", because a case class is not a record; declare a record in Java, or send the fields as a java.util.List"),
    CLOJURE_SYMBOL("; send the name as a string, for a map for example with clojure.walk/stringify-keys"),
    OTHER("");

    private static final String SUPPORTED =
            "; supported: null, strings, boxed primitives, arrays, lists, sets and maps, Optional, BigInteger, "
                    + "BigDecimal, UUID, dates and times without a zone, and records and enums of the program";

    private final String alternative;

    ForeignClass(String alternative) {
        this.alternative = alternative;
    }

    static ForeignClass of(Class<?> type) {
        if (type.isArray()) return of(type.componentType());
        String name = type.getName();
        if (name.equals("clojure.lang.Keyword") || name.equals("clojure.lang.Symbol")) return CLOJURE_SYMBOL;
        if (inherits(type, "scala.collection.Iterable")) return SCALA_COLLECTION;
        if (inherits(type, "scala.Product")) return SCALA_CASE;
        return isData(type) ? KOTLIN_DATA : OTHER;
    }

    String wayOut(Object value) {
        if (this != OTHER) return alternative;
        return value instanceof Collection || value instanceof Map
                ? "; copy it into a collection of java.util, for example with List.copyOf"
                : SUPPORTED;
    }

    /// Returns whether Kotlin's compiler has created the methods of a data class.
    private static boolean isData(Class<?> type) {
        return Arrays.stream(type.getAnnotations())
                        .anyMatch(annotation ->
                                annotation.annotationType().getName().equals("kotlin.Metadata"))
                && Arrays.stream(type.getDeclaredMethods())
                        .anyMatch(method -> method.getName().equals("copy$default"));
    }

    private static boolean inherits(Class<?> type, String ancestor) {
        for (Class<?> t = type; t != null; t = t.getSuperclass()) {
            if (t.getName().equals(ancestor)) return true;
            for (Class<?> parent : t.getInterfaces()) if (inherits(parent, ancestor)) return true;
        }
        return false;
    }
}
