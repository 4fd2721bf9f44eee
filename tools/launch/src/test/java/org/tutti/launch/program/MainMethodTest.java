package org.tutti.launch.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MainMethodTest {
    private static final List<String> CALLS = new ArrayList<>();

    @BeforeEach
    void forget() {
        CALLS.clear();
    }

    static class WithArguments {
        static void main(String[] args) {
            CALLS.add("args " + args.length);
        }

        static void main() {
            CALLS.add("none");
        }
    }

    static class Instance {
        void main() {
            CALLS.add("instance");
        }
    }

    static class Inherits extends Instance {}

    static class Private {
        private static void main(String[] args) {}
    }

    static class Returns {
        static int main(String[] args) {
            return 1;
        }
    }

    static class NoConstructor {
        NoConstructor(int x) {}

        void main() {}
    }

    static class Throws {
        static void main(String[] args) throws Exception {
            throw new java.io.IOException("mine");
        }
    }

    private static void call(Class<?> type) throws Throwable {
        MainMethod.of(type).call(new String[] {"a", "b"});
    }

    @Test
    void prefersTheOneWithArguments() throws Throwable {
        call(WithArguments.class);
        assertThat(CALLS).containsExactly("args 2");
    }

    @Test
    void makesAnObjectWhenMainIsNotStatic() throws Throwable {
        call(Instance.class);
        call(Inherits.class);
        assertThat(CALLS).containsExactly("instance", "instance");
    }

    @Test
    void propagatesExceptionsOfMain() {
        assertThatThrownBy(() -> call(Throws.class))
                .isInstanceOf(java.io.IOException.class)
                .hasMessage("mine");
    }

    @Test
    void rejectsMainMethodsLikeJava() {
        assertThatThrownBy(() -> call(String.class))
                .hasMessageStartingWith("class java.lang.String has no main method");
        assertThatThrownBy(() -> call(Private.class)).hasMessageContaining("has no main method");
        assertThatThrownBy(() -> call(Returns.class)).hasMessageContaining("has no main method");
        assertThatThrownBy(() -> call(NoConstructor.class)).hasMessageContaining("no constructor without parameters");
    }
}
