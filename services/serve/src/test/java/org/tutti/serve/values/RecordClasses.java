package org.tutti.serve.values;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassSignature;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Opcode;
import java.lang.classfile.Signature;
import java.lang.classfile.TypeKind;
import java.lang.classfile.attribute.PermittedSubclassesAttribute;
import java.lang.classfile.attribute.RecordAttribute;
import java.lang.classfile.attribute.RecordComponentInfo;
import java.lang.classfile.attribute.SignatureAttribute;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.runtime.ObjectMethods;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// Defines records and sealed interfaces as `javac` does, with the class-file API.
final class RecordClasses extends ClassLoader {
    private static final ClassDesc RECORD = ClassDesc.of("java.lang.Record");

    /// Above this number of components, the `equals` of the record compares identity, because a call site,
    /// which would compare the components, has at most 251 constants.
    static final int MOST_IN_EQUALS = 200;

    /// The type of a component.
    ///
    /// @param raw null for the enclosing record
    /// @param variable whether it is the record's type parameter `T`
    record Spec(Class<?> raw, List<Spec> arguments, boolean variable) {
        static Spec of(Class<?> raw, Spec... arguments) {
            return new Spec(raw, List.of(arguments), false);
        }

        static Spec self() {
            return new Spec(null, List.of(), false);
        }

        static Spec parameter() {
            return new Spec(Object.class, List.of(), true);
        }

        ClassDesc desc(ClassDesc self) {
            return raw == null ? self : raw.describeConstable().orElseThrow();
        }

        String signature(ClassDesc self) {
            if (variable) return "TT;";
            String plain = desc(self).descriptorString();
            if (arguments.isEmpty()) return plain;
            String all = arguments.stream().map(a -> a.signature(self)).collect(Collectors.joining());
            return plain.substring(0, plain.length() - 1) + "<" + all + ">;";
        }
    }

    RecordClasses() {
        super(RecordClasses.class.getClassLoader());
    }

    private Class<?> define(String name, byte[] bytes) {
        return defineClass(name, bytes, 0, bytes.length);
    }

    Class<?> sealed(String name, List<String> permitted) {
        return define(
                name,
                ClassFile.of()
                        .build(
                                ClassDesc.of(name),
                                type -> type.withFlags(
                                                ClassFile.ACC_PUBLIC | ClassFile.ACC_INTERFACE | ClassFile.ACC_ABSTRACT)
                                        .with(PermittedSubclassesAttribute.ofSymbols(permitted.stream()
                                                .map(ClassDesc::of)
                                                .toList()))));
    }

    /// @param varargs whether the last component, an array, is declared with `...`
    Class<?> record(String name, List<Spec> components, boolean varargs, List<Class<?>> interfaces) {
        return define(name, bytes(name, components, varargs, interfaces));
    }

    static byte[] bytes(String name, List<Spec> components, boolean varargs, List<Class<?>> interfaces) {
        ClassDesc self = ClassDesc.of(name);
        List<ClassDesc> types = components.stream().map(c -> c.desc(self)).toList();
        List<RecordComponentInfo> infos = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            String signature = components.get(i).signature(self);
            infos.add(
                    signature.equals(types.get(i).descriptorString())
                            ? RecordComponentInfo.of("c" + i, types.get(i))
                            : RecordComponentInfo.of(
                                    "c" + i, types.get(i), SignatureAttribute.of(Signature.parseFrom(signature))));
        }
        return ClassFile.of().build(self, type -> {
            type.withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL | ClassFile.ACC_SUPER)
                    .withSuperclass(RECORD)
                    .withInterfaceSymbols(interfaces.stream()
                            .map(c -> c.describeConstable().orElseThrow())
                            .toList())
                    .with(RecordAttribute.of(infos));
            if (components.stream().anyMatch(Spec::variable)) {
                type.with(SignatureAttribute.of(ClassSignature.parseFrom("<T:Ljava/lang/Object;>Ljava/lang/Record;")));
            }
            type.withMethodBody(
                    "<init>",
                    MethodTypeDesc.of(CD_void, types),
                    ClassFile.ACC_PUBLIC | (varargs ? ClassFile.ACC_VARARGS : 0),
                    code -> constructor(code, self, types));
            for (int i = 0; i < types.size(); i++) {
                String field = "c" + i;
                ClassDesc of = types.get(i);
                type.withField(field, of, ClassFile.ACC_PRIVATE | ClassFile.ACC_FINAL);
                type.withMethodBody(
                        field,
                        MethodTypeDesc.of(of),
                        ClassFile.ACC_PUBLIC,
                        code -> code.aload(0).getfield(self, field, of).return_(TypeKind.from(of)));
            }
            object(type, self, types, "toString", MethodTypeDesc.of(CD_String));
            object(type, self, types, "hashCode", MethodTypeDesc.of(CD_int));
            object(type, self, types, "equals", MethodTypeDesc.of(CD_boolean, CD_Object));
        });
    }

    private static void constructor(CodeBuilder code, ClassDesc self, List<ClassDesc> types) {
        code.aload(0).invokespecial(RECORD, "<init>", MethodTypeDesc.of(CD_void));
        for (int i = 0; i < types.size(); i++) {
            code.aload(0)
                    .loadLocal(TypeKind.from(types.get(i)), code.parameterSlot(i))
                    .putfield(self, "c" + i, types.get(i));
        }
        code.return_();
    }

    private static void object(
            java.lang.classfile.ClassBuilder type,
            ClassDesc self,
            List<ClassDesc> types,
            String method,
            MethodTypeDesc signature) {
        boolean wide = types.size() > MOST_IN_EQUALS;
        type.withMethodBody(method, signature, ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL, code -> {
            code.aload(0);
            if (signature.parameterCount() > 0) code.aload(1);
            if (!wide) code.invokedynamic(site(self, types, method, signature));
            else if (method.equals("toString")) code.pop().loadConstant("wide");
            else if (method.equals("hashCode")) code.pop().loadConstant(0);
            else code.ifThenElse(Opcode.IF_ACMPEQ, c -> c.loadConstant(1), c -> c.loadConstant(0));
            code.return_(TypeKind.from(signature.returnType()));
        });
    }

    private static DynamicCallSiteDesc site(
            ClassDesc self, List<ClassDesc> types, String method, MethodTypeDesc signature) {
        List<ConstantDesc> all = new ArrayList<>();
        all.add(self);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            names.add("c" + i);
            all.add(MethodHandleDesc.ofField(DirectMethodHandleDesc.Kind.GETTER, self, "c" + i, types.get(i)));
        }
        all.add(1, String.join(";", names));
        DirectMethodHandleDesc bootstrap = MethodHandleDesc.ofMethod(
                DirectMethodHandleDesc.Kind.STATIC,
                ObjectMethods.class.describeConstable().orElseThrow(),
                "bootstrap",
                MethodTypeDesc.ofDescriptor("(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;"
                        + "Ljava/lang/invoke/TypeDescriptor;Ljava/lang/Class;Ljava/lang/String;"
                        + "[Ljava/lang/invoke/MethodHandle;)Ljava/lang/Object;"));
        return DynamicCallSiteDesc.of(
                bootstrap, method, signature.insertParameterTypes(0, self), all.toArray(ConstantDesc[]::new));
    }
}
