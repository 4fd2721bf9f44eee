/// Networks that several processes train with libtorch and DJL are equal to networks that one process trains.
package org.tutti.e2e.training;
