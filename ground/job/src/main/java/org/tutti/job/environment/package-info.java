/// The variables of the environment that other software defines, by software: torchrun's, those of Open MPI's
/// launcher, and those that MPI libraries read while they are loaded.
@NullMarked
package org.tutti.job.environment;

import org.jspecify.annotations.NullMarked;
