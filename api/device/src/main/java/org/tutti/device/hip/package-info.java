/// HIP's names: ROCm's interface and HIPRTC. Written to the documentation and run on fakes of them;
/// HIPRTC itself compiles what is shipped.
package org.tutti.device.hip;
