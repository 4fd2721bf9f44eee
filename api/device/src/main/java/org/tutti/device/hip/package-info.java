/// HIP's names: ROCm's API and HIPRTC. Written according to the documentation and tested with fakes; the
/// shipped kernels are compiled with the real HIPRTC.
package org.tutti.device.hip;
