package org.tutti.device.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.device.source.SourceException;

class OpenClTranslatorTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "extern \"C\" __global__ void f(int n, const float* x, float* __restrict__ y) { }"
                        + "| __kernel void f_(int n, const __global float* x, __global float* restrict y) { }",
                "extern \"C\" __global__ void __launch_bounds__(256, (2)) f(int n) { f(n); }"
                        + "| __kernel void  f_(int n) { f_(n); }",
                "__device__ float g(float x) { return x; }|static float g_(float x) { return x; }",
                "static __device__ inline int g(int* x) { return *x; }| static  int g_(__global int* x) { return *x; }",
                "{ __shared__ float t[16][17]; }|{ __local float t[16][17]; }",
                "{ long long a = 5LL; unsigned long long b = 0x7ULL; }|{ long a = 5L; ulong b = 0x7UL; }",
                "{ y = float(n) * int(x) + (float) z; }|{ y = (float)(n) * (int)(x) + (float) z; }",
                "{ const float* p = (const float*) x + sizeof(float) * 2; }"
                        + "|{ const __global float* p = (const __global float*) x + sizeof(float) * 2; }",
                "{ float y = a * b; int m = c & d; }|{ float y = a * b; int m = c & d; }",
                "{ int local = global; x.kernel = 1; }|{ int local_ = global_; x.kernel_ = 1; }",
                "__constant__ float C[2] = {1, 2};|__constant float C[2] = {1, 2};",
                "{ /* float* x */ #pragma unroll|{ /* float* x */ #pragma unroll",
                "__device__ int all(int x) { return x; } __device__ int b(int y) { return all(y) + any(y); }"
                        + "|static int all_(int x) { return x; } static int b_(int y) { return all_(y) + any(y); }",
                "{ float const * const p = x; }|{ const __global float * const p = x; }",
            })
    void identifiersAreReplaced(String cuda, String opencl) {
        assertThat(OpenClTranslator.body(cuda).strip()).isEqualTo(opencl.strip());
    }

    @Test
    void linesStayLines() {
        String source = "extern\n\"C\"\n__global__ void f(long\nlong n,\n unsigned\nlong long * x) {\n}\n";
        assertThat(OpenClTranslator.body(source).lines().count())
                .isEqualTo(source.lines().count());
        assertThat(OpenClTranslator.translate(source)).contains("\n#line 1 \"kernel.cu\"\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "template <int N> __device__ int f();",
                "{ auto x = 1; }",
                "{ f<float>::g(); }",
                "{ int x = __shfl_down_sync(1, y, 2); }",
                "{ __syncwarp(); }",
                "{ extern __shared__ float t[]; }",
                "extern \"C\" { }",
                "__device__ int counter;",
                "__device__ int table[2] = {f(1), 2};",
                "__device__ void f(float& x) { }",
                "{ static int x; }",
                "{ __shared__ float* p; }",
                "{ float x = static_cast<float>(1); }",
                "#include <cuda.h>",
                "{ int x = warpSize; }",
                "{ x = nullptr; }",
            })
    void unsupportedConstructsAreRejectedWithTheLine(String source) {
        assertThatThrownBy(() -> OpenClTranslator.body("\n" + source))
                .isInstanceOfSatisfying(
                        SourceException.class, e -> assertThat(e.line()).isEqualTo(2))
                .hasMessageEndingWith("is not in the subset of CUDA C that is translated for OpenCL");
    }

    @Test
    void longHasAnotherLengthElsewhere() {
        assertThatThrownBy(() -> OpenClTranslator.body("{ long x; }"))
                .hasMessage("the size of long depends on the platform; use int or long long");
    }
}
