package org.tutti.mpi.file;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.type.RunVisitor;

/// Collective access: all ranks read or write together (MPI 4.1, section 14.4.1).
///
/// If the byte runs of the ranks are long, few, or far apart, each rank accesses the file independently.
/// Otherwise the access has two phases. The accessed part of the file is divided into domains, one for each
/// rank in each round, and each rank reads or writes a whole domain; data of other ranks passes through that
/// rank's [CollectiveBuffer]. In each round, the data is transferred, and the ranks agree on the outcome:
///
///     write   put into half k % 2 │ agree │ write the marked bytes
///     read    read into half k % 2 │ agree, also on the end of the file │ get from there
///
/// k is the number of the round. Each rank's buffer has two halves, for even and odd rounds: while the rank
/// still writes one half to the file, other ranks already put data into the other half. No rank is two rounds
/// ahead, because each round has an agreement of all ranks. An access to n bytes of the file takes `n/B`
/// rounds, if the domains of one round have B bytes in total; each agreement is one exchange.
final class CollectiveAccess {
    /// Runs of at least this length, in bytes, are written fast even without a collective buffer.
    private static final long LONG_RUN = 64 << 10;

    /// Up to this number of runs per rank, independent access is faster than transferring the data between
    /// ranks.
    private static final long FEW_RUNS = 16;

    /// With more than this number of file bytes per accessed byte, domains would be almost empty.
    private static final long SPARSE = 8;

    private static final long PAGE = 4096;

    /// The indices of a rank's values in the exchange.
    private static final int FIRST = 0, END = 1, LENGTH = 2, RUNS = 3, ORDERLY = 4, NODES = 5, BUFFER = 6, VALUES = 7;

    private final OpenFile file;
    private final String operation;
    private final FileView view;
    private final long first;
    private final FileData data;

    /// The part of the file that is accessed by any rank: `begin` inclusive, `end` exclusive.
    private long begin = Long.MAX_VALUE;

    private long end;

    /// The total number of accessed bytes of all ranks.
    private long bytes;

    /// The number of ranks with a domain.
    private int nodes;

    CollectiveAccess(OpenFile file, String operation, FileView view, long first, FileData data) {
        this.file = file;
        this.operation = operation;
        this.view = view;
        this.first = first;
        this.data = data;
    }

    /// Writes all data of this rank.
    void write() {
        CollectiveBuffer buffer = plan();
        StorageException failure = null;
        if (buffer == null) {
            try {
                IndependentAccess.write(file.stored(), view, first, data);
            } catch (RuntimeException e) {
                failure = StorageException.of(e);
            }
            file.agreement().agree(operation, failure);
        } else {
            writeInRounds(buffer);
        }
    }

    private void writeInRounds(CollectiveBuffer buffer) {
        Domains domains = domains(buffer);
        // if there are no holes, domains are written as a whole, and marks are not needed
        boolean full = bytes == end - begin && file.viewsAreApart(operation, view);
        StorageException failure = null;
        for (long round = 0; round < domains.rounds; round++) {
            int half = (int) (round & 1);
            try {
                for (int i = 0; i < domains.ranks; i++) {
                    // start with different ranks, to spread the load
                    int rank = (file.port().rank() + i) % domains.ranks;
                    long base = domains.base(round, rank);
                    long from = Math.max(first, view.below(base));
                    long to = Math.min(first + data.bytes(), view.below(domains.end(round, rank)));
                    if (from >= to) continue;
                    buffer.put(rank, half, base, view, from, to, data, first);
                    if (!full) buffer.mark(rank, half, base, view, from, to);
                }
                buffer.flush();
            } catch (RuntimeException e) {
                failure = StorageException.of(e);
            }
            try {
                file.agreement().agree(operation, failure);
            } catch (RuntimeException | Error e) {
                // the round has failed on all ranks, so the bytes marked for it are never written
                buffer.clearMarks();
                throw e;
            }
            buffer.sync();
            if (file.port().rank() >= domains.ranks) continue;
            long base = domains.base(round, file.port().rank());
            long length = domains.end(round, file.port().rank()) - base;
            try (var _ = file.stored().lock(base, base + length, true)) {
                RunVisitor write = (at, n) -> file.stored().write(base + at, buffer.bytes(half), at, n);
                // the first domain starts at a page boundary, which may be before the data
                long skipped = Math.max(0, begin - base);
                if (full && skipped < length) write.run(skipped, length - skipped);
                else if (length > 0) buffer.eachMarked(half, length, write);
            } catch (RuntimeException e) {
                failure = StorageException.of(e);
                // if the lock failed, the marks have not been evaluated and not been cleared
                buffer.marks(half).fill((byte) 0);
            }
        }
        file.agreement().agree(operation, failure);
    }

    /// Reads this rank's data. Returns the number of bytes of this data that are before the end of the file.
    long read() {
        CollectiveBuffer buffer = plan();
        if (buffer != null) return readInRounds(buffer);
        long got = 0;
        StorageException failure = null;
        try {
            got = IndependentAccess.read(file.stored(), view, first, data);
        } catch (RuntimeException e) {
            failure = StorageException.of(e);
        }
        file.agreement().agree(operation, failure);
        return got;
    }

    private long readInRounds(CollectiveBuffer buffer) {
        Domains domains = domains(buffer);
        int me = file.port().rank();
        long fileEnd = Long.MAX_VALUE;
        StorageException failure = null;
        for (long round = 0; round < domains.rounds && domains.base(round, 0) < fileEnd; round++) {
            int half = (int) (round & 1);
            long length = me < domains.ranks ? domains.end(round, me) - domains.base(round, me) : 0;
            long got = 0;
            long own = domains.base(round, Math.min(me, domains.ranks - 1));
            try (var _ = file.stored().lock(own, own + length, false)) {
                if (length > 0) got = file.stored().read(own, buffer.bytes(half), 0, length);
            } catch (RuntimeException e) {
                failure = StorageException.of(e);
            }
            buffer.sync();
            long mine = failure == null && got < length ? own + got : Long.MAX_VALUE;
            fileEnd = Math.min(fileEnd, file.agreement().agree(operation, failure, mine));
            buffer.sync();
            try {
                for (int i = 0; i < domains.ranks; i++) {
                    int rank = (me + i) % domains.ranks;
                    long base = domains.base(round, rank);
                    long from = Math.max(first, view.below(base));
                    long last = Math.min(fileEnd, domains.end(round, rank));
                    long to = Math.min(first + data.bytes(), view.below(last));
                    if (from < to) buffer.get(rank, half, base, view, from, to, data, first);
                }
                buffer.flush();
            } catch (RuntimeException e) {
                failure = StorageException.of(e);
            }
        }
        // without this agreement, the next call could overwrite a half from which another rank still gets data
        file.agreement().agree(operation, failure);
        return fileEnd == Long.MAX_VALUE ? data.bytes() : Math.clamp(view.below(fileEnd) - first, 0, data.bytes());
    }

    /// Exchanges the access parameters of all ranks; returns the buffer for a collective access, or null if the
    /// accesses are independent.
    private @Nullable CollectiveBuffer plan() {
        long[] mine = new long[VALUES];
        mine[FIRST] = Long.MAX_VALUE;
        if (data.bytes() > 0) {
            mine[LENGTH] = data.bytes();
            mine[RUNS] = Math.max(1, data.bytes() / view.tiling().averageRun());
        }
        mine[NODES] = file.hints().nodes(file.port().size());
        mine[BUFFER] = file.hints().cbBytes();
        mine[ORDERLY] = view.tiling().isAscending() ? 1 : 0;
        if (data.bytes() > 0 && view.tiling().isAscending()) {
            mine[FIRST] = view.position(first);
            mine[END] = view.position(first + data.bytes() - 1) + 1;
        }
        long[] all = file.ranks().exchange(operation, file.port(), mine);
        long runs = 0;
        long bufferBytes = Long.MAX_VALUE;
        nodes = file.port().size();
        boolean independent = false, shortRuns = false;
        for (int r = 0; r < all.length; r += VALUES) {
            begin = Math.min(begin, all[r + FIRST]);
            end = Math.max(end, all[r + END]);
            bytes += all[r + LENGTH];
            runs += all[r + RUNS];
            shortRuns |= all[r + RUNS] > 0 && all[r + LENGTH] / all[r + RUNS] < LONG_RUN;
            independent |= all[r + ORDERLY] == 0;
            // all ranks must reach the same decision even if hints differ
            nodes = (int) Math.min(nodes, all[r + NODES]);
            bufferBytes = Math.min(bufferBytes, all[r + BUFFER]);
        }
        independent |=
                nodes == 0 || runs <= FEW_RUNS * file.port().size() || !shortRuns || (end - begin) / SPARSE > bytes;
        return independent ? null : file.buffer(operation, bufferBytes);
    }

    /// The division of the accessed part into domains. In each round, there is one domain per rank, in rank
    /// order.
    ///
    /// @param ranks the number of ranks with a domain, which are the first ranks
    private record Domains(long begin, long end, long length, int ranks, long rounds) {
        long base(long round, int rank) {
            return begin + Math.min((round * ranks + rank) * length, end - begin);
        }

        /// Returns the end of the domain of `rank` in `round`, which is equal to the base if no bytes remain
        /// for the rank.
        long end(long round, int rank) {
            long base = base(round, rank);
            return base + Math.min(length, end - base);
        }
    }

    private Domains domains(CollectiveBuffer buffer) {
        int ranks = nodes;
        long from = begin / PAGE * PAGE;
        long share = (end - from + ranks - 1) / ranks;
        long length = Math.min(buffer.domain(), (share + PAGE - 1) / PAGE * PAGE);
        long round = length * ranks;
        return new Domains(from, end, length, ranks, (end - from + round - 1) / round);
    }
}
