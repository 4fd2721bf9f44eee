package org.tutti.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.file.FileData;
import org.tutti.mpi.file.OpenFile;
import org.tutti.spi.Access;
import org.tutti.spi.CommPort;
import org.tutti.spi.FileAccess;
import org.tutti.spi.MessageErrors;
import org.tutti.spi.type.ElementType;

/// The part of [MpiFile] with the properties of a file. MPI 4.1, section 14.2.
abstract sealed class FileAccessors permits ExplicitOffsetAccess {
    /// A thread that is never the caller, for the check whether threads other than the caller may access
    /// memory.
    private static final Thread OTHER_THREAD = Thread.ofPlatform().unstarted(() -> {});

    final Mpi mpi;
    final OpenFile file;
    final CommPort port;

    /// The view that the program has set.
    volatile MpiFile.View view = MpiFile.View.WHOLE;

    FileAccessors(Mpi mpi, OpenFile file) {
        this.mpi = mpi;
        this.file = file;
        port = file.port();
    }

    /// Throws if this file must not be used any more.
    abstract void checkOpen(String operation);

    abstract boolean has(MpiFile.Mode mode);

    // ---- properties

    /// Returns the path with which the file was opened. Local.
    public String path() {
        return file.path();
    }

    /// Returns the length of the file in bytes. Local. `MPI_File_get_size`, MPI 4.1, section 14.2.6.
    ///
    /// @throws MpiException `ERR_FILE` if the file is closed; `ERR_IO` if the system reports an error
    public long size() {
        begin("size");
        return call("size", file::size);
    }

    /// Returns the group of the ranks that have opened the file. Local. `MPI_File_get_group`, MPI 4.1, section
    /// 14.2.7.
    ///
    /// @throws MpiException `ERR_FILE` if the file is closed
    public Group group() {
        begin("group");
        return Group.of(port, mpi.realm);
    }

    /// Returns the hints that are in effect. Local. `MPI_File_get_info`, MPI 4.1, section 14.2.8.
    ///
    /// @throws MpiException `ERR_FILE` if the file is closed
    public Map<String, String> info() {
        begin("info");
        return file.info();
    }

    /// Sets these hints; other hints stay unchanged. All ranks must pass the same hints. Collective; does not
    /// wait for other ranks. `MPI_File_set_info`, MPI 4.1, section 14.2.8.
    ///
    /// - `cb_buffer_size`: the size, in bytes, of a file domain, which one rank reads or writes for all ranks;
    ///   the hint can be changed until the first collective access that uses a domain
    /// - `cb_nodes`: the number of ranks that have a domain
    /// - `collective_buffering` (`false`), `romio_cb_read`, `romio_cb_write` (`disable`): each rank reads and
    ///   writes independently
    /// - `tutti_locks` (`true`, `false`): whether each access acquires a lock of the system on the accessed
    ///   part of the file, a shared lock for reads and an exclusive lock for writes. The default is `true` on
    ///   NFS and SMB; [#info()] then contains the hint
    ///
    /// @throws MpiException `ERR_FILE` if the file is closed
    public void setInfo(Map<String, String> hints) {
        begin("setInfo");
        Arguments.checkHints("setInfo", "hints", hints, null);
        file.info(hints);
    }

    /// Returns the view. Local. `MPI_File_get_view`, MPI 4.1, section 14.3.
    ///
    /// @throws MpiException `ERR_FILE` if the file is closed
    public MpiFile.View view() {
        begin("view");
        return view;
    }

    /// Returns the distance in bytes between two elements of `type` in the data representation of this file.
    /// Local. `MPI_File_get_type_extent`, MPI 4.1, section 14.5.1.
    ///
    /// @throws MpiException `ERR_FILE` if the file is closed
    public long typeExtent(Datatype type) {
        Arguments.given("typeExtent", "type", type);
        begin("typeExtent");
        return MpiFile.View.extent(type, view.representation());
    }

    /// Returns whether accesses are atomic. Local. `MPI_File_get_atomicity`, MPI 4.1, section 14.6.1.
    ///
    /// @throws MpiException `ERR_FILE` if the file is closed
    public boolean isAtomic() {
        begin("isAtomic");
        return file.isAtomic();
    }

    // ---- calls

    /// Returns the engine for an operation on this file that begins now.
    final EngineCalls begin(String operation) {
        EngineCalls engine = mpi.engine(operation);
        checkOpen(operation);
        return engine;
    }

    final long call(String operation, LongSupplier what) {
        try {
            return EngineCalls.gate(what::getAsLong);
        } catch (WrongThreadException | IllegalStateException e) {
            throw MpiException.asRuntime(MessageErrors.ofMemory(operation, port, e));
        }
    }

    final void run(String operation, Runnable what) {
        call(operation, () -> {
            what.run();
            return 0;
        });
    }

    // ---- checks

    final MpiException refused(ErrorClass errorClass, String operation, String what) {
        return MpiException.argument(errorClass, operation, path() + ": " + what, port);
    }

    /// Checks a call with an explicit offset, or at this rank's file pointer. A `SEQUENTIAL` file permits
    /// neither.
    final void checkPositions(String operation) {
        begin(operation);
        if (!has(MpiFile.Mode.SEQUENTIAL)) return;
        throw refused(
                ErrorClass.ERR_UNSUPPORTED_OPERATION,
                operation,
                "a SEQUENTIAL file has only the shared pointer; use readShared, writeShared or a" + " similar method");
    }

    /// Checks a call that moves or returns the position of the shared pointer. MPI 4.1, section 14.2.1.
    final void checkSharedPosition(String operation) {
        begin(operation);
        if (!has(MpiFile.Mode.SEQUENTIAL)) return;
        throw refused(
                ErrorClass.ERR_UNSUPPORTED_OPERATION,
                operation,
                "the shared pointer of a SEQUENTIAL file has no" + " position; open the file without SEQUENTIAL");
    }

    final void checkOffset(String operation, String name, long etypes) {
        if (etypes < 0) throw refused(ErrorClass.ERR_ARG, operation, name + "=" + etypes + " is negative");
    }

    /// Returns the operand of an access: the buffer in the representation of the file.
    final Operand operand(String operation, boolean writes, Buf buf) {
        begin(operation);
        if (writes && has(MpiFile.Mode.RDONLY)) {
            throw refused(ErrorClass.ERR_READ_ONLY, operation, "the file was opened RDONLY; pass RDWR or WRONLY");
        }
        if (!writes && has(MpiFile.Mode.WRONLY)) {
            throw refused(ErrorClass.ERR_ACCESS, operation, "the file was opened WRONLY; pass RDWR or RDONLY");
        }
        Arguments.given(operation, "buf", buf);
        if (buf == Buf.IN_PLACE || buf.blocks() != null) {
            throw refused(ErrorClass.ERR_BUFFER, operation, "the buffer is " + buf + "; pass a buffer without blocks");
        }
        if (writes) Arguments.checkRecords(operation, buf, 0, buf.count(), port);
        else Arguments.checkReceiveBuffer(operation, buf, port);
        Operand made = new Operand(buf, view.representation() == MpiFile.DataRep.EXTERNAL32);
        checkTypes(operation, buf, made.bytes);
        return made;
    }

    /// Checks that the data is a whole number of etypes, and has the basic types of the etype, unless the data
    /// or the etype consists of bytes (MPI 4.1, section 14.6.6).
    private void checkTypes(String operation, Buf buf, long bytes) {
        Datatype etype = view.etype();
        long each = file.view().etypeBytes();
        if (bytes % each != 0) {
            throw refused(
                    ErrorClass.ERR_TYPE,
                    operation,
                    buf + " are " + bytes + " bytes, not a whole number of etypes " + etype + " of " + each + " bytes");
        }
        if (bytes > 0 && file.view().tiling().isEmpty()) {
            throw refused(
                    ErrorClass.ERR_TYPE, operation, "the file type " + view.filetype() + " of the view has no bytes");
        }
        ElementType there = etype.elements(), here = buf.datatype().elements();
        if (bytes == 0 || isBytes(there.basic()) || isBytes(here.basic())) return;
        boolean match = there.basic() == here.basic()
                && (!here.isMixed()
                        || etype == buf.datatype()
                        || there.signatureHash(buf.sizeBytes()) == here.signatureHash(buf.sizeBytes()));
        if (match) return;
        throw refused(
                ErrorClass.ERR_TYPE,
                operation,
                "the buffer is of " + buf.datatype() + " but the etype of the view is " + etype
                        + "; set a view with this etype or BYTE");
    }

    private static boolean isBytes(ElementType type) {
        return type == ElementType.BYTE || type == ElementType.PACKED;
    }

    /// Returns the number of etypes in the data.
    final long etypes(Operand operand) {
        return operand.bytes / file.view().etypeBytes();
    }

    /// Checks that the data fits into a file of the maximum size. Returns the offset of the etype with index
    /// `etypes` in the packed data of the view, in bytes.
    final long packed(String operation, long etypes, Operand operand) {
        try {
            long first = Math.multiplyExact(etypes, file.view().etypeBytes());
            if (operand.bytes > 0) {
                long last = Math.addExact(first, operand.bytes - 1);
                Math.addExact(
                        file.view().displacement(),
                        Math.addExact(file.view().tiling().offset(last), 1));
            }
            return first;
        } catch (ArithmeticException e) {
            throw refused(
                    ErrorClass.ERR_ARG,
                    operation,
                    operand.buf + " from etype " + etypes + " on end after byte 2^63 - 1 of the file");
        }
    }

    // ---- accesses

    /// Reads or writes at a position, which is counted in etypes. Returns the status.
    final Status access(String operation, boolean writes, long position, Operand operand) {
        long first = packed(operation, position, operand);
        if (writes) operand.fill();
        LongSupplier what = () -> call(operation, () -> file.access(operation, writes, first, operand.data()));
        EngineCalls engine = mpi.engine(operation);
        long done = engine.isWatched()
                ? engine.run(watched(operation, writes, false, first, operand), what)
                : what.getAsLong();
        return operand.status(done, writes);
    }

    final Status accessAll(String operation, boolean writes, LongSupplier position, Operand operand) {
        if (writes) operand.fill();
        return operand.status(
                call(
                        operation,
                        () -> file.accessAll(
                                operation,
                                writes,
                                () -> packed(operation, position.getAsLong(), operand),
                                operand.data())),
                writes);
    }

    final Request start(String operation, boolean writes, long position, Operand operand) {
        long first = packed(operation, position, operand);
        operand.leaveThread();
        if (writes) operand.fill();
        EngineCalls engine = mpi.engine(operation);
        if (!engine.isWatched()) {
            return request(operation, writes, operand, file.start(operation, writes, first, operand.data()));
        }
        FileAccess watched = watched(operation, writes, true, first, operand);
        engine.run(watched, () -> 0);
        CompletableFuture<Long> access = file.start(operation, writes, first, operand.data());
        return request(
                operation, writes, operand, access.whenComplete((done, why) -> engine.ended(watched, why != null)));
    }

    /// Returns the description of the access for observers.
    private FileAccess watched(String operation, boolean writes, boolean starts, long first, Operand operand) {
        return new FileAccess(operation, port, path(), writes, starts, first, operand.bytes);
    }

    final Request startAll(String operation, boolean writes, LongSupplier position, Operand operand) {
        operand.leaveThread();
        if (writes) operand.fill();
        return request(
                operation,
                writes,
                operand,
                file.startAll(
                        operation, writes, () -> packed(operation, position.getAsLong(), operand), operand.data()));
    }

    private Request request(String operation, boolean writes, Operand operand, CompletableFuture<Long> access) {
        return new LocalRequest(mpi, operation, port, operand.buf, new LocalRequest.Work() {
            @Override
            public boolean isDone() {
                return access.isDone();
            }

            @Override
            public void await() {
                try {
                    access.join();
                } catch (CompletionException | CancellationException e) {
                    // the status reports the failure
                }
            }

            @Override
            public Status status() {
                long bytes = call(operation, () -> {
                    try {
                        return access.join();
                    } catch (CompletionException e) {
                        throw MpiException.unchecked(e.getCause() == null ? e : e.getCause());
                    }
                });
                return operand.status(bytes, writes);
            }
        });
    }

    /// The buffer of an access, in the representation of the file.
    static final class Operand {
        final Buf buf;

        /// The length of the data in the file, in bytes.
        final long bytes;

        /// Whether numbers have a different byte order in the file than in memory.
        private final boolean swaps;

        /// Whether elements are shorter in the file than in memory, or have swapped bytes.
        private final boolean converts;

        private final Access.Operand place = new Access.Operand();

        /// A copy of the data; null if the data's memory is used directly.
        private @Nullable MemorySegment copy;

        private Operand(Buf buf, boolean external) {
            this.buf = buf;
            bytes = External32.bytes(buf);
            swaps = external && External32.LITTLE;
            converts = swaps || bytes != buf.sizeBytes();
            if (converts) copy = Arena.ofAuto().allocate(Math.max(1, bytes), Long.BYTES);
        }

        /// Called before a different thread accesses the data. If only this thread may access the memory,
        /// provides a copy.
        void leaveThread() {
            if (copy != null || buf == Buf.NONE || buf.inPieces()) return;
            buf.place(place);
            if (place.memory.segment().isAccessibleBy(OTHER_THREAD)) return;
            copy = Arena.ofAuto().allocate(Math.max(1, bytes), Long.BYTES);
        }

        /// If the data is written from a copy, fills the copy.
        void fill() {
            MemorySegment room = copy;
            if (room == null) return;
            if (converts) External32.write(buf, room, swaps);
            else buf.packInto(room);
        }

        FileData data() {
            MemorySegment room = copy;
            if (room != null) return new FileData(room, null, bytes);
            buf.place(place);
            return new FileData(place.memory.segment(), place.layout, bytes);
        }

        /// After a read, copies the data to the buffer. Returns the status with the amount of data read or
        /// written.
        Status status(long done, boolean writes) {
            if (!writes && done > 0) copyBack(done);
            if (bytes == buf.sizeBytes() || done == bytes) {
                return Status.ofFile(done == bytes ? buf.sizeBytes() : done, buf.datatype());
            }
            return Status.ofFile(External32.here(buf.datatype(), done), buf.datatype());
        }

        private void copyBack(long done) {
            MemorySegment room = copy;
            if (room == null) {
                buf.fromMemory(place.memory, 0, done);
                return;
            }
            if (done < bytes) {
                // bytes that were not read must keep the previous content
                MemorySegment old = Arena.ofAuto().allocate(bytes, Long.BYTES);
                if (converts) External32.write(buf, old, swaps);
                else buf.packInto(old);
                MemorySegment.copy(old, done, room, done, bytes - done);
            }
            if (converts) External32.read(buf, room, swaps);
            else buf.unpackFrom(room);
        }
    }
}
