/// Networks that processes train together with libtorch and DJL come out as those that one process trains.
package org.tutti.e2e.training;
