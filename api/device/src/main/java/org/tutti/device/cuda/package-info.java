/// CUDA's names: the driver API and NVRTC. Written according to the documentation and tested with fakes; the
/// shipped kernels are compiled with the real NVRTC.
package org.tutti.device.cuda;
