package org.tutti.futures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Serializable;
import java.lang.invoke.MethodHandleInfo;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tests which functions can be tasks, and that a message cannot cause a rank to run any other code.
@Timeout(value = 120)
class CallSitesTest {
    private static final String THIS = CallSitesTest.class.getName(), PATH = THIS.replace('.', '/');
    private static final String FUNCTION = "org/tutti/futures/RankFunction";
    private static final String ANY = "(Ljava/lang/Object;)Ljava/lang/Object;";
    private static final AtomicBoolean INITIALISED = new AtomicBoolean();

    static final class Watched {
        static {
            INITIALISED.set(true);
        }

        private Watched() {}
    }

    static final class WithoutFields {
        int twice(int x) {
            return 2 * x;
        }

        RankFunction<Integer, Integer> task() {
            return x -> twice(x);
        }
    }

    static final class WithField {
        private final int by;

        WithField(int by) {
            this.by = by;
        }

        RankFunction<Integer, Integer> task() {
            return x -> by * x;
        }

        RankFunction<Integer, Integer> careful() {
            int copy = by;
            return x -> copy * x;
        }
    }

    static final class NotMade {
        NotMade(int unused) {
            assertThat(unused).isPositive();
        }

        int same(int x) {
            return x;
        }

        RankFunction<Integer, Integer> task() {
            return x -> same(x);
        }
    }

    /// Two references to one method, for different types: JDK-8376198.
    static final class Twice {
        private Twice() {}

        static RankFunction<String, String> first() {
            return Object::toString;
        }

        static RankFunction<Object, String> second() {
            return Object::toString;
        }

        static RankFunction<Object, String> asLambda() {
            return x -> x.toString();
        }
    }

    static String secret(Object x) {
        throw new AssertionError("was called with " + x);
    }

    private static Object[] description(
            String capturing, String type, int kind, String impl, String method, String signature) {
        String[] names = {capturing, type, "apply", ANY, impl, method, signature, ANY};
        return new Object[] {names, kind, false, new Object[0], new long[0]};
    }

    private static List<Object> forged() {
        int isStatic = MethodHandleInfo.REF_invokeStatic, isVirtual = MethodHandleInfo.REF_invokeVirtual;
        String object = "(Ljava/lang/Object;)Ljava/lang/String;";
        Object[] inverted = description(THIS, FUNCTION, isStatic, PATH, "secret", object);
        inverted[2] = true;
        return List.of(
                description(THIS, FUNCTION, isStatic, PATH, "secret", object),
                description(THIS, FUNCTION, isVirtual, PATH, "hashCode", "()I"),
                description(THIS, FUNCTION, isStatic, "java/lang/System", "exit", "(I)V"),
                description(THIS, FUNCTION, isStatic, "java/lang/Runtime", "getRuntime", "()Ljava/lang/Runtime;"),
                description(
                        THIS,
                        FUNCTION,
                        isStatic,
                        "java/lang/System",
                        "getProperty",
                        "(Ljava/lang/String;)Ljava/lang/String;"),
                description(THIS, "java/util/function/Function", isStatic, PATH, "secret", object),
                description(THIS, "java/lang/Runnable", isStatic, PATH, "secret", object),
                description("java.util.Comparator", FUNCTION, isStatic, PATH, "secret", object),
                description("java.util.Map$Entry", FUNCTION, isStatic, PATH, "secret", object),
                description("no.such.Class", FUNCTION, isStatic, PATH, "secret", object),
                description("[I", FUNCTION, isStatic, PATH, "secret", object),
                description("", FUNCTION, isStatic, PATH, "secret", object),
                description(THIS + "$Watched", FUNCTION, isStatic, PATH, "secret", object),
                description(THIS, FUNCTION, 99, PATH, "secret", object),
                inverted,
                new Object[] {new String[8], isStatic, false, new Object[0], new long[0]},
                new Object[] {new String[3], isStatic, false, new Object[0], new long[0]},
                new Object[] {"text", isStatic, false, new Object[0], new long[0]},
                new Object[] {new String[8], isStatic, false, new Object[0]},
                new Object[0],
                "text");
    }

    @Test
    void forgedCallSitesAreRefused() {
        TaskCode code = new TaskCode(CallSitesTest.class.getClassLoader(), _ -> null);
        // the class has valid call sites, too, which must not be confused with the forged ones
        Object own = CallSites.describe((RankFunction<Integer, Integer>) x -> x, "submit", true);
        assertThat(code.function(own)).isInstanceOf(RankFunction.class);
        for (Object description : forged()) {
            assertThatThrownBy(() -> code.function(description))
                    .as("%s", description instanceof Object[] all ? Arrays.deepToString(all) : description)
                    .isInstanceOf(TaskRefusedException.class);
        }
        assertThat(INITIALISED.get()).isFalse();
    }

    /// The methods and classes with which deserialization gadget chains usually begin and end.
    @Test
    void partsOfGadgetChainsAreRefused() {
        TaskCode code = new TaskCode(CallSitesTest.class.getClassLoader(), _ -> null);
        String[][] gadgets = {
            {"java/lang/Runtime", "exec", "(Ljava/lang/String;)Ljava/lang/Process;"},
            {"java/lang/ProcessBuilder", "start", "()Ljava/lang/Process;"},
            {"java/lang/Class", "forName", "(Ljava/lang/String;)Ljava/lang/Class;"},
            {"java/lang/System", "load", "(Ljava/lang/String;)V"},
            {"java/lang/System", "setProperty", "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;"},
            {"java/lang/reflect/Method", "invoke", "(Ljava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;"},
            {"java/lang/invoke/MethodHandles", "lookup", "()Ljava/lang/invoke/MethodHandles$Lookup;"},
            {"java/net/URLClassLoader", "newInstance", "([Ljava/net/URL;)Ljava/net/URLClassLoader;"},
            {"java/net/URL", "openStream", "()Ljava/io/InputStream;"},
            {"java/io/ObjectInputStream", "readObject", "()Ljava/lang/Object;"},
            {"java/nio/file/Files", "delete", "(Ljava/nio/file/Path;)V"},
            {"javax/naming/InitialContext", "doLookup", "(Ljava/lang/String;)Ljava/lang/Object;"},
            {"javax/script/ScriptEngine", "eval", "(Ljava/lang/String;)Ljava/lang/Object;"},
            {"java/beans/XMLDecoder", "readObject", "()Ljava/lang/Object;"},
            {"com/sun/org/apache/xalan/internal/xsltc/trax/TemplatesImpl", "newTransformer", ANY},
            {"org/apache/commons/collections/functors/InvokerTransformer", "transform", ANY},
        };
        for (String[] gadget : gadgets) {
            for (int kind = MethodHandleInfo.REF_invokeVirtual; kind <= MethodHandleInfo.REF_invokeInterface; kind++) {
                Object[] asMethod = description(THIS, FUNCTION, kind, gadget[0], gadget[1], gadget[2]);
                Object[] asClass =
                        description(gadget[0].replace('/', '.'), FUNCTION, kind, gadget[0], gadget[1], gadget[2]);
                for (Object[] description : List.of(asMethod, asClass)) {
                    assertThatThrownBy(() -> code.function(description))
                            .as(gadget[1])
                            .isInstanceOf(TaskRefusedException.class);
                }
            }
        }
    }

    @Test
    void aCallSiteIsResolvedToTheSameFunction() throws Exception {
        int k = 5;
        assertThat(back((RankFunction<Integer, Integer>) x -> k * x).apply(3)).isEqualTo(15);
        assertThat(back((RankFunction<Double, Double>) Math::sqrt).apply(9.0)).isEqualTo(3);
        assertThat(back(new WithoutFields().task()).apply(4)).isEqualTo(8);
        assertThat(back(new WithField(3).careful()).apply(4)).isEqualTo(12);
        assertThat(back(Twice.asLambda()).apply(7)).isEqualTo("7");
        RankFunction<Integer, Integer> plain = x -> x;
        assertThat(CallSites.describe(plain, "submit", true)).isSameAs(CallSites.describe(plain, "submit", true));
    }

    @SuppressWarnings("unchecked")
    private static <T, R> RankFunction<T, R> back(RankFunction<T, R> function) {
        Object description = CallSites.describe(function, "submit", true);
        return (RankFunction<T, R>) new TaskCode(CallSitesTest.class.getClassLoader(), _ -> null).function(description);
    }

    @Test
    void aThisWithFieldsIsRefused() {
        assertThatThrownBy(() -> CallSites.describe(new WithField(3).task(), "submit", true))
                .isInstanceOf(TaskRefusedException.class)
                .hasMessageStartingWith(
                        "submit: the function uses `this`, a " + THIS + "$WithField, and the field `by` stays on"
                                + " this rank: copy it to a local variable before, or make it static, or pass it as an argument");
    }

    @Test
    void aThisThatCannotBeMadeIsRefused() {
        assertThatThrownBy(() -> CallSites.describe(new NotMade(1).task(), "submit", true))
                .isInstanceOf(TaskRefusedException.class)
                .hasMessageContaining("cannot be recreated without a constructor without parameters");
    }

    @Test
    void referencesThatTheCompilerMixesUpAreRefused() {
        CallSites.describe(Twice.first(), "submit", true);
        assertThatThrownBy(() -> CallSites.describe(Twice.second(), "map", true))
                .isInstanceOf(TaskRefusedException.class)
                .hasMessageStartingWith(
                        "map: a method reference to java.lang.Object::toString occurs twice in " + THIS
                                + "$Twice, for different types, and the compiler confuses the two (JDK-8376198); write it as a lambda");
    }

    @Test
    void functionsWithoutANameAreRefused() {
        RankFunction<Integer, Integer> anonymous = new RankFunction<>() {
            private static final long serialVersionUID = 1;

            @Override
            public Integer apply(Integer x) {
                return x;
            }
        };
        assertThatThrownBy(() -> CallSites.describe(anonymous, "submit", true))
                .isInstanceOf(TaskRefusedException.class)
                .hasMessageContaining(
                        "is not a lambda, a method reference or a record; other ranks can resolve only these");
        Function<Integer, Integer> other = (Function<Integer, Integer> & Serializable) x -> x;
        assertThatThrownBy(() -> CallSites.describe((Serializable) other, "submit", true))
                .isInstanceOf(TaskRefusedException.class)
                .hasMessageContaining("java.util.function.Function is not an interface of tasks");
        assertThatThrownBy(() -> CallSites.describe(null, "submit", true))
                .isInstanceOf(TaskRefusedException.class)
                .hasMessageContaining("submit: the function is null");
    }
}
