/// The backend of OpenCL, through `libOpenCL.so.1` and whatever drivers are registered there.
///
///     OpenClBackend ──▶ OpenClDriver ──▶ FunctionTable of OpenClFunction: functions.tsv
///                            └─ OpenClTranslator: CUDA C to OpenCL C
///
/// Memory is shared virtual memory (OpenCL 2.0, coarse-grained), so that a buffer has an address; devices
/// without it are told as missing.
@NullMarked
package org.tutti.device.opencl;

import org.jspecify.annotations.NullMarked;
