package org.tutti.libmpi.raw;

import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tutti.mpi.Comm;

/// A name of Tutti's API in a document: `Comm`, `Comm.info` or the overload `Comm.info(Map)`.
///
/// @param member empty for a type
/// @param shape the simple names of the parameter types, in parentheses; empty if the document does not name an
///     overload
record ApiName(Class<?> type, String member, String shape) {
    private static final Pattern NAME = Pattern.compile("`([A-Z]\\w*(?:\\.\\w+)*)(\\([^()`]*\\))?`");

    /// The names in `text` with a public type of the API; other words in code style are skipped.
    static List<ApiName> in(String text) {
        List<ApiName> names = new ArrayList<>();
        Matcher name = NAME.matcher(text);
        while (name.find()) {
            String path = name.group(1), shape = name.group(2) == null ? "" : name.group(2);
            int dot = path.lastIndexOf('.');
            Class<?> whole = type(path), owner = dot < 0 ? null : type(path.substring(0, dot));
            if (whole != null) names.add(new ApiName(whole, "", ""));
            else if (owner != null) names.add(new ApiName(owner, path.substring(dot + 1), shape));
        }
        return names;
    }

    /// The public type of the API with this name, including nested types such as `MpiFile.Mode`, or null.
    static Class<?> type(String name) {
        try {
            Class<?> type = Class.forName(Comm.class.getPackageName() + "." + name.replace('.', '$'));
            return Modifier.isPublic(type.getModifiers()) ? type : null;
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    boolean isType() {
        return member.isEmpty();
    }

    /// The public methods and fields with this name and, if the document names an overload, these parameter
    /// types.
    List<Member> members() {
        return Stream.<Member[]>of(type.getMethods(), type.getFields())
                .flatMap(Arrays::stream)
                .filter(m -> m.getName().equals(member))
                .filter(m -> !(m instanceof Method method) || !isOverridden(method))
                .filter(m -> shape.isEmpty() || m instanceof Executable e && shape.equals(shape(e)))
                .toList();
    }

    /// Whether the method is only a bridge to another method of the type, with a different result type; a
    /// bridge to a method of a class that is not public is a method of the API.
    private boolean isOverridden(Method bridge) {
        return bridge.isBridge()
                && Stream.of(type.getMethods())
                        .anyMatch(m -> !m.isBridge()
                                && m.getName().equals(bridge.getName())
                                && Arrays.equals(m.getParameterTypes(), bridge.getParameterTypes()));
    }

    /// The result types, or the type of a field.
    List<Class<?>> results() {
        return members().stream()
                .<Class<?>>map(m -> m instanceof Field field ? field.getType() : ((Method) m).getReturnType())
                .toList();
    }

    /// Whether a method has a parameter.
    boolean takesArguments() {
        return members().stream().anyMatch(m -> m instanceof Executable e && e.getParameterCount() > 0);
    }

    private static String shape(Executable e) {
        String types =
                Stream.of(e.getParameterTypes()).map(Class::getSimpleName).collect(Collectors.joining(", "));
        return "(" + (e.isVarArgs() ? types.substring(0, types.length() - 2) + "..." : types) + ")";
    }

    @Override
    public String toString() {
        return type.getSimpleName() + (isType() ? "" : "." + member + shape);
    }
}
