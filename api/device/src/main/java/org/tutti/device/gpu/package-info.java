/// What CUDA and HIP have in common, which is all but names: one driver's interface as a table of
/// functions, a compiler at run time, and the device above them.
///
///     CudaBackend, HipBackend ──CudaPlatform, HipPlatform: libraries, sentences──▶ GpuBackend
///     driver.tsv, compiler.tsv, matrices.tsv, …-errors.tsv, numbers.tsv: a column for each of the two
///     GpuDriver (the spi) ──▶ GpuCalls: codes become faults ──▶ FunctionTable ──▶ libcuda.so.1, …
///     RuntimeCompiler ──▶ FunctionTable ──▶ libnvrtc.so, libhiprtc.so
///     GpuMatrices ──MatrixApi──▶ FunctionTable ──▶ libcublas.so, libhipblas.so
///
/// Rules: a function that a version of a library lacks is optional in its table, and what needs it says
/// so. Not here yet: graphs, timing of events, functions of the host in streams.
package org.tutti.device.gpu;
