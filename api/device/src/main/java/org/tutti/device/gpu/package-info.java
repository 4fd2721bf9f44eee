/// The common part of CUDA and HIP, which differ only in names: the driver API as a table of functions, a
/// run-time compiler, and the device based on these.
///
///     CudaBackend, HipBackend ──CudaPlatform, HipPlatform: libraries, messages──▶ GpuBackend
///     driver.tsv, compiler.tsv, matrices.tsv, …-errors.tsv, numbers.tsv: one column per vendor
///     GpuDriver (the spi) ──▶ GpuCalls: codes become faults ──▶ FunctionTable ──▶ libcuda.so.1, …
///     RuntimeCompiler ──▶ FunctionTable ──▶ libnvrtc.so, libhiprtc.so
///     GpuMatrices ──MatrixApi──▶ FunctionTable ──▶ libcublas.so, libhipblas.so
///
/// Rule: a function that is missing in some version of a library is optional in the table; a feature that needs
/// it reports the missing function. Graphs, event timing, and host functions in streams are not implemented
/// yet.
package org.tutti.device.gpu;
