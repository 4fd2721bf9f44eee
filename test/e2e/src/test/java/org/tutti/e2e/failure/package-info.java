/// Jobs that fail, are signalled or killed, and those that start anew: who is named, and that nothing is left or
/// open to others.
package org.tutti.e2e.failure;
