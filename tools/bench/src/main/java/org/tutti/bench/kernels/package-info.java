/// Application kernels: small programs with the communication of a real application, written as a user of Tutti
/// would, and in `kernels.c` as a user of C would.
///
///     BenchMain ──▶ Kernels ──▶ ApplicationKernel: Pipeline | GlobalSum | Stencil | Transpose… | SparseProduct | …
///                      └──▶ Report: one row of times and a checksum
///
/// A kernel runs a number of iterations once, without warm-up, so that the time includes the first second of the
/// JVM. All values are integers, even if stored as `double`, so that every result is exact. A checksum weights
/// each value by the position, and is compared with the checksum of the closed form of the result. Java and C
/// print the same checksum.
///
/// Rules: the user API only; each hot loop is a separate method, because the JIT compiler compiles a method as a
/// whole. Change `kernels.c` together with a kernel.
@NullMarked
package org.tutti.bench.kernels;

import org.jspecify.annotations.NullMarked;
