/// HIP's names: ROCm's API and HIPRTC. The code was written according to the documentation and is tested with
/// fakes; the kernels that are part of Tutti are compiled with the real HIPRTC.
package org.tutti.device.hip;
