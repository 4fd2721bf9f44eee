package org.tutti.lab.stress.count;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Set;
import java.util.function.Predicate;

/// Defines classes of Tutti a second time, and inserts calls of [MethodCounter] at the entry of each method and
/// before each access to a memory segment.
///
/// Services need no special treatment: the parent loader finds the service files, and this loader defines the
/// listed classes.
final class CountingLoader extends ClassLoader {
    private static final ClassDesc COUNTER = ClassDesc.of(MethodCounter.class.getName());
    private static final ClassDesc SEGMENT = ClassDesc.of("java.lang.foreign.MemorySegment");
    private static final MethodTypeDesc HIT = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int);
    private static final MethodTypeDesc NO_ARGUMENTS = MethodTypeDesc.of(ConstantDescs.CD_void);

    /// Methods of `MemorySegment` that read or write one value.
    private static final Set<String> VALUES = Set.of("get", "set", "getAtIndex", "setAtIndex");

    static {
        registerAsParallelCapable();
    }

    private final ClassLoader sources;
    private final Predicate<String> isDefined;
    private final Predicate<String> isCounted;
    private final ClassFile classFile;

    /// @param isDefined selects, by name, the classes that this loader defines; the parent loads all other
    ///     classes
    /// @param isCounted selects, by name, the classes with counted methods
    CountingLoader(ClassLoader parent, Predicate<String> isDefined, Predicate<String> isCounted) {
        super("counting", parent);
        sources = parent;
        this.isDefined = isDefined;
        this.isCounted = isCounted;
        classFile = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(parent).cached()));
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!isDefined.test(name)) return super.loadClass(name, resolve);
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : findClass(name);
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes;
        try (InputStream in = sources.getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) throw new ClassNotFoundException(name);
            bytes = in.readAllBytes();
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
        if (isCounted.test(name)) bytes = transform(name, bytes);
        return defineClass(name, bytes, 0, bytes.length);
    }

    private byte[] transform(String name, byte[] bytes) {
        ClassModel model = classFile.parse(bytes);
        String type = name.substring(name.lastIndexOf('.') + 1);
        return classFile.transformClass(
                model,
                ClassTransform.transformingMethods(method -> method.code().isPresent(), (builder, element) -> {
                    if (element instanceof CodeModel code) builder.transformCode(code, counting(type, code));
                    else builder.with(element);
                }));
    }

    private static CodeTransform counting(String type, CodeModel code) {
        MethodModel method = code.parent().orElseThrow();
        int id = MethodCounter.register(
                type + "." + method.methodName().stringValue(), ((CodeAttribute) code).codeLength());
        return CodeTransform.ofStateful(() -> new CodeTransform() {
            @Override
            public void atStart(CodeBuilder builder) {
                builder.loadConstant(id).invokestatic(COUNTER, "hit", HIT);
            }

            @Override
            public void accept(CodeBuilder builder, CodeElement element) {
                if (element instanceof InvokeInstruction call) {
                    if (isAccess(call)) builder.invokestatic(COUNTER, "access", NO_ARGUMENTS);
                    if (isValue(call)) builder.invokestatic(COUNTER, "value", NO_ARGUMENTS);
                }
                builder.with(element);
            }
        });
    }

    /// Returns whether the call accesses a segment. The handle of a field differs: the first parameter has the
    /// class of the field, and no parameter is an offset. The compiler may declare a segment as `Object`.
    private static boolean isAccess(InvokeInstruction call) {
        if (!call.owner().asInternalName().equals("java/lang/invoke/VarHandle")) return false;
        MethodTypeDesc type = call.typeSymbol();
        if (type.parameterCount() < 2 || !type.parameterType(1).equals(ConstantDescs.CD_long)) return false;
        ClassDesc first = type.parameterType(0);
        return first.equals(SEGMENT) || first.equals(ConstantDescs.CD_Object);
    }

    private static boolean isValue(InvokeInstruction call) {
        return call.owner().asInternalName().equals("java/lang/foreign/MemorySegment")
                && VALUES.contains(call.name().stringValue());
    }
}
