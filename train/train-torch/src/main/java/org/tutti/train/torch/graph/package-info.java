/// Models from Python: graphs of `torch.export`, run and trained by libtorch's dispatcher.
///
///     GraphModel ──compiles──▶ CompiledGraph (GraphCompiler, Operators, ModeFlags) ──runs──▶ GraphRun ──▶ libtorch
///         ▲ records                    │ nested graphs: HigherOrderStep
///     graph.file (not exported)
///     Lora ──▶ LinearLayers             adds adapters to the records of a model, which is compiled again
///     HubDirectory ──▶ StateDict        directories of Hugging Face, also for modules written in Java
///     TextGenerator                     continues texts with a language model
///
/// Rules: everything that a file may contain is checked when the model is read; a run only calls operators.
/// Native objects of a run are stored in two vectors of libtorch, because creating a Java object for each
/// result costs more than calling an operator.
@NullMarked
package org.tutti.train.torch.graph;

import org.jspecify.annotations.NullMarked;
