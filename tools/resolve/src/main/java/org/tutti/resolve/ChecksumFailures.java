package org.tutti.resolve;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.aether.transfer.AbstractTransferListener;
import org.eclipse.aether.transfer.ChecksumFailureException;
import org.eclipse.aether.transfer.TransferCancelledException;
import org.eclipse.aether.transfer.TransferEvent;

/// Rejects a file that still differs from the repository's checksum after a second download. By default, the
/// resolver only logs the difference, and this class path has no logger. A file without a checksum is accepted.
final class ChecksumFailures extends AbstractTransferListener {
    private final Set<String> retried = ConcurrentHashMap.newKeySet();

    @Override
    public void transferCorrupted(TransferEvent event) throws TransferCancelledException {
        if (!(event.getException() instanceof ChecksumFailureException failure) || failure.getExpected() == null)
            return;
        String name =
                event.getResource().getRepositoryUrl() + event.getResource().getResourceName();
        if (retried.add(name)) return; // the resolver downloads it once more
        throw new TransferCancelledException(name + " has the checksum " + failure.getActual() + ", but "
                + failure.getExpected() + " was expected; the repository is damaged, or the download was changed");
    }
}
