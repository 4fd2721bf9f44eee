/// How the ranks of a training job find each other where there is no MPI: by torchrun's variables, over a
/// [org.tutti.train.backend.Backend] that a tensor library's adapter brings.
@NullMarked
package org.tutti.train.backend;

import org.jspecify.annotations.NullMarked;
