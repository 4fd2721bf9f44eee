/// Data-parallel training of DJL models, on DJL's PyTorch engine.
module org.tutti.train.djl {
    requires transitive org.tutti.train;
    requires transitive ai.djl.api;
    requires ai.djl.pytorch_engine;
    requires static transitive org.jspecify;

    exports org.tutti.train.djl;

    provides org.tutti.train.model.TensorLibrary with
            org.tutti.train.djl.DjlEngine;
}
