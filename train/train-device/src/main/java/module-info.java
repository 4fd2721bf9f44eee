/// Data-parallel training of models in the memory of devices.
module org.tutti.train.device {
    requires transitive org.tutti.train;
    requires transitive org.tutti.device;
    requires static transitive org.jspecify;

    exports org.tutti.train.device;

    provides org.tutti.train.AcceleratorBackend with
            org.tutti.train.device.Nccl;
}
