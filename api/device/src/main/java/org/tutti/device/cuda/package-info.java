/// CUDA's names: the driver's interface and NVRTC. Written to the documentation and run on fakes of them;
/// NVRTC itself compiles what is shipped.
package org.tutti.device.cuda;
