/// The OpenCL backend, using `libOpenCL.so.1` and the drivers registered there.
///
///     OpenClBackend ──▶ OpenClDriver ──▶ FunctionTable of OpenClFunction: functions.tsv
///                            └─ OpenClTranslator: CUDA C to OpenCL C
///
/// Memory is coarse-grained shared virtual memory (OpenCL 2.0), so that a buffer has an address; devices
/// without such memory are reported as unusable.
@NullMarked
package org.tutti.device.opencl;

import org.jspecify.annotations.NullMarked;
