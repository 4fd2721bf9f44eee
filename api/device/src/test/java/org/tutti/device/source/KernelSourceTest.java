package org.tutti.device.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KernelSourceTest {
    @Test
    void headsOfKernelsAreRead() {
        KernelSource source = KernelSource.of("""
                // extern "C" __global__ void none(int n)
                #define SIZE 3 \\
                    __global__
                __device__ int help(int n) { return n; }
                extern "C" __global__ void a(int n, const float *x, float* __restrict__ y) { "}"; }
                extern "C" __global__
                void b(unsigned n, unsigned long long int seed, long long const* at,
                       double /* the factor */ a, short s, const unsigned char *const c) {}
                extern "C" __global__ void c(void) {}
                extern "C" __global__ void d() {}
                extern "C" __global__ void __launch_bounds__(256, (2)) e(int n) {}
                extern "C" __launch_bounds__(SIZE) __global__ __cluster_dims__(2, 1, 1) void f() {}
                extern "C" {
                int helper() { return 1; }
                __global__ void g(int n) {}
                }
                extern "C" __global__ void __h(int n) {}
                """);
        assertThat(source.kernels())
                .extracting(KernelSignature::toString)
                .containsExactly(
                        "a(int n, const float* x, float* y)",
                        "b(unsigned int n, unsigned long long seed, const long long* at, double a, short s,"
                                + " const unsigned char* c)",
                        "c()",
                        "d()",
                        "e(int n)",
                        "f()",
                        "g(int n)",
                        "__h(int n)");
        assertThat(source.kernel("b").orElseThrow().line()).isEqualTo(6);
        assertThat(source.kernel("help")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "__global__ void f(int n) {}|1|kernel f must be extern \"C\"; otherwise the name is not found",
                "extern \"C\" int g(); __global__ void f(int n) {}|1|kernel f must be extern \"C\"; otherwise the"
                        + " name is not",
                "extern \"C\" __global__ void __launch_bounds__(2|1|kernel __launch_bounds__: '2' in a parameter",
                "extern \"C\" { int g(); } __global__ void f(int n) {}|1|kernel f must be extern \"C\"; otherwise"
                        + " the name is",
                "extern \"C\" __global__ int f() {}|1|a kernel returns void",
                "extern \"C\" __global__ void f(size_t n) {}|1|kernel f: the type of parameter n, size_t, is not"
                        + " one of",
                "extern \"C\" __global__ void f(long n) {}|1|kernel f: the type of parameter n, long, is not one of",
                "extern \"C\" __global__ void f(float** x) {}|1|kernel f: pointers to pointers are not supported",
                "extern \"C\" __global__ void f(float& x) {}|1|kernel f: '&' in a parameter is not supported",
                "extern \"C\" __global__ void f(float) {}|1|kernel f: a parameter needs a type and a name",
                "extern \"C\" __global__ void f(int n|1|kernel",
                "extern \"C\" __global__ void f(|1|the source ends in a kernel's declaration",
                "extern \"C\" __global__ void f(void|1|the source ends in a kernel's declaration",
                "int x;|1|no kernel: declare one as extern \"C\" __global__ void NAME(...)",
                "int x = 1 @ 2;|1|'@' does not start a valid token",
            })
    void invalidDeclarationsAreReportedWithTheLine(String text, int line, String message) {
        assertThatThrownBy(() -> KernelSource.of(text)).isInstanceOfSatisfying(SourceException.class, e -> {
            assertThat(e.line()).isEqualTo(line);
            if (!message.equals("kernel")) assertThat(e).hasMessageContaining(message);
        });
    }

    @Test
    void linesAreCountedInCommentsAndDirectives() {
        String text = "/* a\n b */\n#define X \\\n 1\n\nextern \"C\" __global__ void f(bool b) {}";
        assertThatThrownBy(() -> KernelSource.of(text))
                .isInstanceOfSatisfying(
                        SourceException.class, e -> assertThat(e.line()).isEqualTo(6));
    }

    @Test
    void theTokensAreTheSource() {
        String text = "a = b->c[1] /* x */ + 1.5e-3f * 'x'; // y\n#if 1\n\"s\\\"t\" :: 0xFFu";
        assertThat(Token.of(text).stream().map(Token::text).collect(Collectors.joining()))
                .isEqualTo(text);
    }

    @Test
    void longTokensAreRead() {
        String digits = "1, ".repeat(100_000);
        String text = "#define TABLE " + digits + "\n/* " + digits + "*/ \"" + digits + "\\n\" '" + digits + "'";
        assertThat(Token.of(text)).extracting(Token::kind).contains(Token.Kind.DIRECTIVE, Token.Kind.STRING);
    }

    @Test
    void prototypesAreNoKernels() {
        String prototype = "extern \"C\" __global__ void f(int n);\n";
        KernelSource source = KernelSource.of(prototype + "extern \"C\" __global__ void f(int n) {}");
        assertThat(source.kernels()).extracting(KernelSignature::toString).containsExactly("f(int n)");
        assertThat(source.kernels().getFirst().line()).isEqualTo(2);
        assertThatThrownBy(() -> KernelSource.of(prototype)).hasMessageStartingWith("no kernel: ");
    }
}
