/// Devices, device memory, kernels compiled at run time, and communication of device memory.
module org.tutti.device {
    requires org.tutti.job;
    requires transitive org.tutti.mpi;
    requires static transitive org.jspecify;

    exports org.tutti.device;
    exports org.tutti.device.info;

    // opened because ranks exchange device information as records
    opens org.tutti.device to
            org.tutti.mpi;

    uses org.tutti.device.spi.DeviceBackend;
    uses org.tutti.device.spi.CollectiveLibrary;

    provides org.tutti.device.spi.DeviceBackend with
            org.tutti.device.cuda.CudaBackend,
            org.tutti.device.hip.HipBackend,
            org.tutti.device.host.HostBackend,
            org.tutti.device.opencl.OpenClBackend;
    provides org.tutti.device.spi.CollectiveLibrary with
            org.tutti.device.nccl.NcclCollectives,
            org.tutti.device.nccl.RcclCollectives;
}
