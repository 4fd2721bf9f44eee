// Defines, in OpenCL C, the names that kernels in CUDA C use. A line with `#line` follows this text, so that errors have
// the line numbers of the kernel.
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif

#define threadIdx ((uint3)(get_local_id(0), get_local_id(1), get_local_id(2)))
#define blockIdx ((uint3)(get_group_id(0), get_group_id(1), get_group_id(2)))
#define blockDim ((uint3)(get_local_size(0), get_local_size(1), get_local_size(2)))
#define gridDim ((uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2)))
#define __syncthreads() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define __threadfence() mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)
#define __threadfence_block() mem_fence(CLK_LOCAL_MEM_FENCE)

#define __float_as_int(x) as_int((float)(x))
#define __float_as_uint(x) as_uint((float)(x))
#define __int_as_float(x) as_float((int)(x))
#define __uint_as_float(x) as_float((uint)(x))
#define __double_as_longlong(x) as_long((double)(x))
#define __longlong_as_double(x) as_double((long)(x))
#define __umulhi(a, b) mul_hi((uint)(a), (uint)(b))
#define __mulhi(a, b) mul_hi((int)(a), (int)(b))
#define __umul64hi(a, b) mul_hi((ulong)(a), (ulong)(b))
#define __popc(x) ((int)popcount((uint)(x)))
#define __clz(x) ((int)clz((uint)(x)))
#define __ldg(p) (*(p))
#define __fdividef(a, b) native_divide((float)(a), (float)(b))
#define __expf(x) native_exp((float)(x))
#define __logf(x) native_log((float)(x))
#define __sinf(x) native_sin((float)(x))
#define __cosf(x) native_cos((float)(x))

// In OpenCL C, abs of an int is unsigned, unlike in CUDA C.
#undef abs
#define TUTTI __attribute__((overloadable))
static int TUTTI tutti_abs(int x) { return x < 0 ? -x : x; }
static long TUTTI tutti_abs(long x) { return x < 0 ? -x : x; }
static float TUTTI tutti_abs(float x) { return fabs(x); }
#define abs tutti_abs

#define sqrtf(x) sqrt((float)(x))
#define rsqrtf(x) rsqrt((float)(x))
#define cbrtf(x) cbrt((float)(x))
#define expf(x) exp((float)(x))
#define exp2f(x) exp2((float)(x))
#define expm1f(x) expm1((float)(x))
#define logf(x) log((float)(x))
#define log2f(x) log2((float)(x))
#define log10f(x) log10((float)(x))
#define log1pf(x) log1p((float)(x))
#define sinf(x) sin((float)(x))
#define cosf(x) cos((float)(x))
#define tanf(x) tan((float)(x))
#define asinf(x) asin((float)(x))
#define acosf(x) acos((float)(x))
#define atanf(x) atan((float)(x))
#define atan2f(y, x) atan2((float)(y), (float)(x))
#define sinhf(x) sinh((float)(x))
#define coshf(x) cosh((float)(x))
#define tanhf(x) tanh((float)(x))
#define powf(x, y) pow((float)(x), (float)(y))
#define fmodf(x, y) fmod((float)(x), (float)(y))
#define fabsf(x) fabs((float)(x))
#define floorf(x) floor((float)(x))
#define ceilf(x) ceil((float)(x))
#define roundf(x) round((float)(x))
#define truncf(x) trunc((float)(x))
#define fminf(x, y) fmin((float)(x), (float)(y))
#define fmaxf(x, y) fmax((float)(x), (float)(y))
#define fmaf(x, y, z) fma((float)(x), (float)(y), (float)(z))
#define erff(x) erf((float)(x))
#define hypotf(x, y) hypot((float)(x), (float)(y))
#define copysignf(x, y) copysign((float)(x), (float)(y))

#define TUTTI_INT_ATOMICS(SPACE, TYPE) \
static TYPE TUTTI atomicAdd(volatile SPACE TYPE *p, TYPE v) { return atomic_add(p, v); } \
static TYPE TUTTI atomicSub(volatile SPACE TYPE *p, TYPE v) { return atomic_sub(p, v); } \
static TYPE TUTTI atomicMin(volatile SPACE TYPE *p, TYPE v) { return atomic_min(p, v); } \
static TYPE TUTTI atomicMax(volatile SPACE TYPE *p, TYPE v) { return atomic_max(p, v); } \
static TYPE TUTTI atomicAnd(volatile SPACE TYPE *p, TYPE v) { return atomic_and(p, v); } \
static TYPE TUTTI atomicOr(volatile SPACE TYPE *p, TYPE v) { return atomic_or(p, v); } \
static TYPE TUTTI atomicXor(volatile SPACE TYPE *p, TYPE v) { return atomic_xor(p, v); } \
static TYPE TUTTI atomicExch(volatile SPACE TYPE *p, TYPE v) { return atomic_xchg(p, v); } \
static TYPE TUTTI atomicCAS(volatile SPACE TYPE *p, TYPE old, TYPE v) { return atomic_cmpxchg(p, old, v); }
TUTTI_INT_ATOMICS(__global, int)
TUTTI_INT_ATOMICS(__global, uint)
TUTTI_INT_ATOMICS(__local, int)
TUTTI_INT_ATOMICS(__local, uint)

// OpenCL has no atomic addition of floats: compare and swap the bits, until no other thread has changed them meanwhile.
#define TUTTI_FLOAT_ATOMICS(SPACE) \
static float TUTTI atomicAdd(volatile SPACE float *p, float v) { \
    volatile SPACE uint *bits = (volatile SPACE uint *)p; \
    uint old = *bits, seen; \
    while ((seen = atomic_cmpxchg(bits, old, as_uint(as_float(old) + v))) != old) old = seen; \
    return as_float(old); \
}
TUTTI_FLOAT_ATOMICS(__global)
TUTTI_FLOAT_ATOMICS(__local)

#ifdef cl_khr_int64_base_atomics
#define TUTTI_LONG_ATOMICS(SPACE, TYPE) \
static TYPE TUTTI atomicAdd(volatile SPACE TYPE *p, TYPE v) { return atom_add(p, v); } \
static TYPE TUTTI atomicExch(volatile SPACE TYPE *p, TYPE v) { return atom_xchg(p, v); } \
static TYPE TUTTI atomicCAS(volatile SPACE TYPE *p, TYPE old, TYPE v) { return atom_cmpxchg(p, old, v); }
TUTTI_LONG_ATOMICS(__global, long)
TUTTI_LONG_ATOMICS(__global, ulong)
#ifdef cl_khr_fp64
static double TUTTI atomicAdd(volatile __global double *p, double v) {
    volatile __global ulong *bits = (volatile __global ulong *)p;
    ulong old = *bits, seen;
    while ((seen = atom_cmpxchg(bits, old, as_ulong(as_double(old) + v))) != old) old = seen;
    return as_double(old);
}
#endif
#endif
