/// Jobs that fail, receive signals, are killed, or restart: the report names the failed rank, and no file or
/// process remains or is open to other users.
package org.tutti.e2e.failure;
