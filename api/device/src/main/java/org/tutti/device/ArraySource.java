package org.tutti.device;

import org.tutti.device.ElementwiseOp.Binary;
import org.tutti.device.ElementwiseOp.Unary;
import org.tutti.mpi.Datatype;

/// The kernel sources of [ArrayKernels], divided into parts. The placeholder `T` in a source is replaced by the
/// type.
final class ArraySource {
    static final String PREFIX = "tutti_";

    /// A grid-stride loop: each thread starts at the thread's index and advances by the number of threads.
    static final String LOOP = "for (long long i = blockIdx.x * (long long) blockDim.x + threadIdx.x; i < n;"
            + " i += (long long) gridDim.x * blockDim.x) ";

    private static final String ELEMENTS = """
            extern "C" __global__ void tutti_axpy(long long n, T a, const T* x, T* y) {
                EACH y[i] += a * x[i];
            }
            extern "C" __global__ void tutti_scale(long long n, T a, T* x) {
                EACH x[i] = a * x[i];
            }
            extern "C" __global__ void tutti_range(long long n, T first, T step, T* out) {
                EACH out[i] = first + (T) i * step;
            }
            """;

    private static final String BINARY = """
            extern "C" __global__ void tutti_NAME(long long n, const T* x, const T* y, T* out) {
                EACH out[i] = EXPRESSION;
            }
            """;

    private static final String UNARY = """
            extern "C" __global__ void tutti_NAME(long long n, const T* x, T* out) {
                EACH out[i] = EXPRESSION;
            }
            """;

    /// The template of a reduction kernel, in which each block writes one value.
    private static final String REDUCTION = """
            extern "C" __global__ void tutti_NAME(long long n, const T* x, T* out) {
                __shared__ T part[256];
                T a = FIRST;
                EACH {
                    T b = x[i];
                    a = EXPRESSION;
                }
                part[threadIdx.x] = a;
                __syncthreads();
                for (int step = 128; step > 0; step >>= 1) {
                    if (threadIdx.x < step) {
                        T b = part[threadIdx.x + step];
                        a = part[threadIdx.x];
                        part[threadIdx.x] = EXPRESSION;
                    }
                    __syncthreads();
                }
                if (threadIdx.x == 0) out[blockIdx.x] = part[0];
            }
            """;

    /// `blockIdx.x` numbers all tiles, row by row: drivers permit only 65,535 blocks in the y and z dimensions.
    private static final String MATRICES = """
            extern "C" __global__ void tutti_transpose(int rows, int columns, const T* x, T* out) {
                __shared__ T tile[16][17];
                int across = columns / 16 + (columns % 16 != 0);
                int left = (int) blockIdx.x % across * 16, top = (int) blockIdx.x / across * 16;
                int c = left + threadIdx.x, r = top + threadIdx.y;
                if (r < rows && c < columns) tile[threadIdx.y][threadIdx.x] = x[(long long) r * columns + c];
                __syncthreads();
                int tr = left + threadIdx.y, tc = top + threadIdx.x;
                if (tr < columns && tc < rows) out[(long long) tr * rows + tc] = tile[threadIdx.x][threadIdx.y];
            }
            extern "C" __global__ void tutti_matmul(int rows, int columns, int inner, const T* a, const T* b, T* c) {
                __shared__ T left[16][16];
                __shared__ T right[16][16];
                int across = columns / 16 + (columns % 16 != 0);
                int column = (int) blockIdx.x % across * 16 + threadIdx.x;
                int row = (int) blockIdx.x / across * 16 + threadIdx.y;
                T sum = 0;
                for (int from = 0; from < inner; from += 16) {
                    int k = from + threadIdx.x, l = from + threadIdx.y;
                    left[threadIdx.y][threadIdx.x] = row < rows && k < inner ? a[(long long) row * inner + k] : (T) 0;
                    right[threadIdx.y][threadIdx.x] =
                            l < inner && column < columns ? b[(long long) l * columns + column] : (T) 0;
                    __syncthreads();
                    for (int i = 0; i < 16; i++) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
                    __syncthreads();
                }
                if (row < rows && column < columns) c[(long long) row * columns + column] = sum;
            }
            """;

    /// Philox4x32-10 (Salmon et al., SC'11): returns `word` of `counter`; like [HostArrays#philox].
    private static final String RANDOM = """
            __device__ unsigned int tutti_philox(unsigned long long counter, unsigned int word, unsigned long long seed) {
                unsigned int c0 = (unsigned int) counter, c1 = (unsigned int) (counter >> 32), c2 = 0, c3 = 0;
                unsigned int k0 = (unsigned int) seed, k1 = (unsigned int) (seed >> 32);
                for (int round = 0; round < 10; round++) {
                    unsigned int h0 = __umulhi(0xD2511F53u, c0), l0 = 0xD2511F53u * c0;
                    unsigned int h1 = __umulhi(0xCD9E8D57u, c2), l1 = 0xCD9E8D57u * c2;
                    c0 = h1 ^ c1 ^ k0;
                    c1 = l1;
                    c2 = h0 ^ c3 ^ k1;
                    c3 = l0;
                    k0 += 0x9E3779B9u;
                    k1 += 0xBB67AE85u;
                }
                return word == 0 ? c0 : word == 1 ? c1 : word == 2 ? c2 : c3;
            }
            __device__ T tutti_uniform_at(unsigned long long e, unsigned long long seed) {
                UNIFORM
            }
            extern "C" __global__ void tutti_uniform(long long n, long long seed, long long first, T* out) {
                EACH out[i] = tutti_uniform_at((unsigned long long) (first + i), (unsigned long long) seed);
            }
            extern "C" __global__ void tutti_normal(long long n, long long seed, long long first, T* out) {
                EACH {
                    unsigned long long e = (unsigned long long) (first + i), s = (unsigned long long) seed;
                    T radius = sqrt((T) -2 * log((T) 1 - tutti_uniform_at(e / 2 * 2, s)));
                    T angle = (T) 6.283185307179586 * tutti_uniform_at(e / 2 * 2 + 1, s);
                    out[i] = radius * (e % 2 == 0 ? cos(angle) : sin(angle));
                }
            }
            """;

    private static final String UNIFORM_FLOAT =
            "return (float) (tutti_philox(e / 4, (unsigned int) (e % 4), seed) >> 8) * 5.9604645e-8f;";

    private static final String UNIFORM_DOUBLE = """
            unsigned int word = (unsigned int) (e % 2) * 2;
                unsigned long long high = tutti_philox(e / 2, word, seed) >> 5;
                unsigned long long low = tutti_philox(e / 2, word + 1, seed) >> 6;
                return (double) (high * 67108864ULL + low) * 1.1102230246251565e-16;""";

    private ArraySource() {}

    /// A part of the source, compiled when a kernel of the part is first used.
    enum Part {
        ELEMENTS,
        REDUCTIONS,
        MATRICES,
        RANDOM
    }

    static String of(Part part, Datatype type) {
        String source = switch (part) {
            case ELEMENTS -> elements(type);
            case REDUCTIONS ->
                reduction("sum", "0", "a + b")
                        + reduction("min", "x[0]", "a < b || a != a ? a : b")
                        + reduction("max", "x[0]", "a > b || a != a ? a : b");
            case MATRICES -> MATRICES;
            case RANDOM -> RANDOM.replace("UNIFORM", type == Datatype.FLOAT ? UNIFORM_FLOAT : UNIFORM_DOUBLE);
        };
        return source.replace("EACH ", LOOP).replaceAll("\\bT\\b", word(type));
    }

    private static boolean isFloating(Datatype type) {
        return type == Datatype.FLOAT || type == Datatype.DOUBLE;
    }

    private static String elements(Datatype type) {
        StringBuilder source = new StringBuilder(ELEMENTS);
        for (Binary op : Binary.values()) source.append(kernel(BINARY, op));
        for (Unary op : Unary.values()) if (isFloating(type) || op.forIntegers()) source.append(kernel(UNARY, op));
        return source.toString();
    }

    private static String kernel(String template, ElementwiseOp op) {
        return template.replace("NAME", op.kernel()).replace("EXPRESSION", op.expression());
    }

    private static String reduction(String name, String first, String expression) {
        return REDUCTION.replace("NAME", name).replace("FIRST", first).replace("EXPRESSION", expression);
    }

    static String word(Datatype type) {
        if (type == Datatype.FLOAT) return "float";
        if (type == Datatype.DOUBLE) return "double";
        if (type == Datatype.BYTE) return "char";
        if (type == Datatype.SHORT) return "short";
        return type == Datatype.INT ? "int" : "long long";
    }
}
