/// Data-parallel training of models of libtorch, PyTorch's core in C++.
module org.tutti.train.torch {
    requires transitive org.tutti.train;
    requires transitive org.bytedeco.pytorch;
    requires org.bytedeco.openblas;
    requires com.fasterxml.jackson.core;
    requires static transitive org.jspecify;

    exports org.tutti.train.torch;
    exports org.tutti.train.torch.graph;

    provides org.tutti.train.Backend with
            org.tutti.train.torch.Gloo;
    provides org.tutti.train.model.TensorLibrary with
            org.tutti.train.torch.tensor.LibTorch;
}
