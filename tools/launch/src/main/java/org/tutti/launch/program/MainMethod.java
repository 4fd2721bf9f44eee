package org.tutti.launch.program;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.UsageException;

/// The start method of a program. A main method is found by the rules of the JLS, section 12.1.4:
/// `main(String[])` before `main()`, static or not, not private, in the class or inherited.
public final class MainMethod {
    private static final MethodType MAKE = MethodType.methodType(Object.class);
    private static final MethodType STATIC = MethodType.methodType(void.class);
    private static final MethodType STATIC_WITH_ARGUMENTS = MethodType.methodType(void.class, String[].class);
    private static final MethodType OF_OBJECT = MethodType.methodType(void.class, Object.class);
    private static final MethodType INSTANCE_WITH_ARGUMENTS =
            MethodType.methodType(void.class, Object.class, String[].class);

    private final Method method;
    private final @Nullable Constructor<?> constructor;

    private MainMethod(Method method, @Nullable Constructor<?> constructor) {
        this.method = method;
        this.constructor = constructor;
    }

    /// Returns the main method without initializing the class.
    ///
    /// @throws UsageException if no method can be called
    public static MainMethod of(Class<?> type) {
        Method method = find(type, String[].class);
        if (method == null) method = find(type);
        if (method == null) {
            throw new UsageException(
                    "class " + type.getName()
                            + " has no main method; add `void main()`, `static void main(String[] args)` or another of its forms");
        }
        if (Modifier.isStatic(method.getModifiers())) return new MainMethod(method, null);
        if (Modifier.isAbstract(type.getModifiers())) {
            throw new UsageException("class " + type.getName()
                    + " is abstract and its main method is not static, so it cannot be called");
        }
        try {
            Constructor<?> constructor = type.getDeclaredConstructor();
            if (!Modifier.isPrivate(constructor.getModifiers())) return new MainMethod(method, constructor);
        } catch (NoSuchMethodException e) {
            // reported below
        }
        throw new UsageException("class " + type.getName()
                + " has a main method that is not static, and no constructor without parameters to make an object with;"
                + " add one that is not private, or make main static");
    }

    /// Returns the name that [#named] resolves: `org.example.Worker`, or
    /// `org.example.Worker#train([Ljava/lang/String;)V`.
    ///
    /// @param method a static method with this descriptor; null for the main method
    public static String name(Class<?> type, @Nullable String method, @Nullable String descriptor) {
        return method == null ? type.getName() : type.getName() + '#' + method + descriptor;
    }

    /// Returns the main method of a class, or a static method of a class, by [#name]. Does not initialize
    /// the class.
    ///
    /// @throws UsageException if no method can be called
    public static MainMethod named(String name, ClassLoader loader) throws ClassNotFoundException {
        int mark = name.indexOf('#');
        Class<?> type = Class.forName(mark < 0 ? name : name.substring(0, mark), false, loader);
        if (mark < 0) return of(type);
        for (Method method : type.getDeclaredMethods()) {
            MethodType shape = MethodType.methodType(method.getReturnType(), method.getParameterTypes());
            boolean isIt = name.substring(mark + 1).equals(method.getName() + shape.descriptorString());
            if (isIt && Modifier.isStatic(method.getModifiers())) return new MainMethod(method, null);
        }
        throw new UsageException("class " + type.getName() + " has no static method " + name.substring(mark + 1)
                + " here: it has been recompiled since the program that spawns it started");
    }

    private static @Nullable Method find(Class<?> type, Class<?>... parameters) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            Method method = declared(c, parameters);
            if (method != null && inherits(type, c, method)) return method;
        }
        try { // a default method of an interface
            Method method = type.getMethod("main", parameters);
            return method.getReturnType() == void.class && !Modifier.isAbstract(method.getModifiers()) ? method : null;
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    private static @Nullable Method declared(Class<?> type, Class<?>... parameters) {
        try {
            Method method = type.getDeclaredMethod("main", parameters);
            boolean callable = method.getReturnType() == void.class
                    && (method.getModifiers() & (Modifier.PRIVATE | Modifier.ABSTRACT)) == 0;
            return callable ? method : null;
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    private static boolean inherits(Class<?> type, Class<?> declaring, Method method) {
        return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0
                || type.getPackageName().equals(declaring.getPackageName());
    }

    /// Calls the method. Exceptions propagate without a reflective wrapper. A reflective call would load four
    /// generated classes; a handle with the exact type of the method loads none, and a handle for an instance
    /// loads one.
    public void call(String[] args) throws Throwable {
        method.setAccessible(true);
        MethodHandle main = MethodHandles.lookup().unreflect(method).asFixedArity();
        boolean takesArguments = method.getParameterCount() > 0;
        if (constructor == null) {
            if (takesArguments) main.asType(STATIC_WITH_ARGUMENTS).invokeExact(args);
            else main.asType(STATIC).invokeExact();
        } else {
            constructor.setAccessible(true);
            MethodHandle make = MethodHandles.lookup().unreflectConstructor(constructor);
            Object target = make.asType(MAKE).invokeExact();
            if (takesArguments) main.asType(INSTANCE_WITH_ARGUMENTS).invokeExact(target, args);
            else main.asType(OF_OBJECT).invokeExact(target);
        }
    }
}
