/// CUDA's names: the driver API and NVRTC. The code was written according to the documentation and is tested
/// with fakes; the kernels that are part of Tutti are compiled with the real NVRTC.
package org.tutti.device.cuda;
