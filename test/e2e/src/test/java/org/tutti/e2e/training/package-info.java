/// Networks that processes train together with libtorch and DJL are equal to networks trained by one process.
package org.tutti.e2e.training;
