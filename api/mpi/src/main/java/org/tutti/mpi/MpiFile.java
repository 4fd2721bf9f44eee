package org.tutti.mpi;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.job.process.UserLine;
import org.tutti.mpi.file.FileMode;
import org.tutti.mpi.file.FileView;
import org.tutti.mpi.file.OpenFile;
import org.tutti.spi.Fault;
import org.tutti.spi.type.Tiling;

/// A file that the ranks of a communicator read and write together. MPI 4.1, chapter 14.
///
///     try (MpiFile f = MpiFile.open(world, "out.dat", Mode.CREATE, Mode.WRONLY)) {
///         f.setView(8L * me, Datatype.DOUBLE, Datatype.DOUBLE.vector(1, 1, 1).resized(0, 8L * n));
///         f.writeAll(buf(x));              // x[i] of rank r is number i * n + r of the file
///     }
///
/// A *view* is the part of the file that a rank accesses. It starts at a displacement in bytes, and consists of
/// the data of the *file type*, which is repeated. The unit of access is the *etype*. Offsets and pointers
/// count etypes of the view. The default view is the whole file, in bytes.
///
/// | chapter | methods | MPI 4.1 |
/// |---|---|---|
/// | properties | `size`, `group`, `info`, `view`, `typeExtent` | 14.2, 14.3 |
/// | explicit offsets | `readAt`, `writeAt`, `readAtAll`, `iwriteAt` and their variants | 14.4.2 |
/// | individual pointers | `read`, `writeAll`, `iread`, `seek`, `position`, `byteOffset` and variants | 14.4.3 |
/// | shared pointer | `readShared`, `writeOrdered`, `seekShared` and their variants | 14.4.4 |
/// | split collective access | `readAllBegin`, `readAllEnd` and their variants | 14.4.5 |
/// | the file | `open`, `close`, `delete`, `setView`, `setAtomicity`, `sync` | 14.2, 14.3, 14.6 |
///
/// A write does not change bytes in the gaps of the view. A read ends at the end of the file, and the status
/// contains the amount of data that was read. Data in native order is the same as in C programs on the same
/// machine. A pair of a `double` or `long` and an `int` has 12 bytes in the file, as in C. In a derived type,
/// the gap of 4 bytes between two pairs is part of the file type but not of the data.
///
/// ## Errors
///
/// In addition to the errors that a method documents, methods throw `ERR_FILE` if the file is closed;
/// `ERR_READ_ONLY` and `ERR_ACCESS` if the mode does not permit the access; `ERR_UNSUPPORTED_OPERATION` if the
/// file was opened with `SEQUENTIAL`; `ERR_BUFFER` if the buffer is missing; `ERR_TYPE` if the data is not a
/// whole number of etypes, or has different types; and `ERR_NO_SPACE`, `ERR_QUOTA` or `ERR_IO` if the system
/// reports an error. The last three contain the system's message and have the scope [MpiException.Scope#FILE]:
/// the job continues. After such an error in a blocking access, the individual pointer has not moved, but the
/// shared pointer has moved. An access with a request has moved the pointer that it uses. If the system refuses
/// a collective access of one rank, the call fails on all ranks.
public final class MpiFile extends SplitCollectiveAccess implements AutoCloseable {
    /// The mode of opening a file (MPI 4.1, section 14.2.1). Exactly one of the first three is required.
    public enum Mode {
        /// The file can only be read.
        RDONLY,
        /// The file can only be written.
        WRONLY,
        /// The file can be read and written.
        RDWR,
        /// The file is created if it does not exist. An existing file is not truncated.
        CREATE,
        /// With [#CREATE], opening fails if the file exists.
        EXCL,
        /// The file is truncated to 0 bytes. Not defined by the standard.
        TRUNCATE,
        /// All pointers begin at the end of the file.
        APPEND,
        /// The file is deleted when it is closed.
        DELETE_ON_CLOSE,
        /// The caller guarantees that no other program has the file open at the same time. This mode has no
        /// effect.
        UNIQUE_OPEN,
        /// Only the shared pointer is used.
        SEQUENTIAL
    }

    /// The position to which the offset of a seek is relative.
    public enum Seek {
        /// The start of the view.
        SET,
        /// The current position of the pointer.
        CUR,
        /// The first etype that begins after the file's last byte.
        END
    }

    /// The representation of data in a file (MPI 4.1, section 14.5).
    public enum DataRep {
        /// The representation in memory.
        NATIVE,
        /// The same as `NATIVE`, which is possible because only this library reads such files.
        INTERNAL,
        /// The standard's big-endian representation, which all machines and libraries can read.
        EXTERNAL32
    }

    /// The part of a file that a rank accesses: the data of `filetype`, which is repeated from byte
    /// `displacement` on. The unit of access is `etype`. Immutable. MPI 4.1, section 14.3.
    ///
    ///     View everyFourth = View.of(8L * me, Datatype.DOUBLE).withFiletype(Datatype.DOUBLE.resized(0, 32));
    ///     f.setView(everyFourth.withRepresentation(DataRep.EXTERNAL32));
    public static final class View {
        static final View WHOLE = of(0, Datatype.BYTE);

        private final long displacement;
        private final Datatype etype;
        private final Datatype filetype;
        private final DataRep representation;

        private View(long displacement, Datatype etype, Datatype filetype, DataRep representation) {
            this.displacement = displacement;
            this.etype = Arguments.given("View", "etype", etype);
            this.filetype = Arguments.given("View", "filetype", filetype);
            this.representation = Arguments.given("View", "representation", representation);
        }

        /// Returns the view of all etypes that follow a displacement in bytes, in native representation. Local.
        public static View of(long displacement, Datatype etype) {
            return new View(displacement, etype, etype, DataRep.NATIVE);
        }

        /// Returns this view with a different displacement. Local.
        public View withDisplacement(long bytes) {
            return new View(bytes, etype, filetype, representation);
        }

        /// Returns this view with a different file type. Local.
        public View withFiletype(Datatype type) {
            return new View(displacement, etype, type, representation);
        }

        /// Returns this view with a different data representation. Local.
        public View withRepresentation(DataRep other) {
            return new View(displacement, etype, filetype, other);
        }

        /// Returns the byte of the file at which the view begins. Local.
        public long displacement() {
            return displacement;
        }

        /// Returns the etype, which is the unit of offsets. Local.
        public Datatype etype() {
            return etype;
        }

        /// Returns the file type, which defines the accessed data. Local.
        public Datatype filetype() {
            return filetype;
        }

        /// Returns the representation of data in the file. Local.
        public DataRep representation() {
            return representation;
        }

        /// Returns whether `other` is a view with the same values. Local.
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof View v
                    && displacement == v.displacement
                    && etype.equals(v.etype)
                    && filetype.equals(v.filetype)
                    && representation == v.representation;
        }

        @Override
        public int hashCode() {
            return Objects.hash(displacement, etype, filetype, representation);
        }

        @Override
        public String toString() {
            return filetype + " of " + etype + " from byte " + displacement + " on, " + representation;
        }

        /// Returns the distance from one element to the next in a file, in bytes.
        static long extent(Datatype type, DataRep representation) {
            return External32.inFile(type, representation == DataRep.EXTERNAL32).extent();
        }
    }

    /// The position of the shared pointer. Passed as the displacement of a view if the file was opened with
    /// `SEQUENTIAL`.
    public static final long DISPLACEMENT_CURRENT = -54_278_278;

    private static final List<Mode> WAYS = List.of(Mode.RDONLY, Mode.WRONLY, Mode.RDWR);

    private final Set<Mode> modes;

    /// The source line that opened the file, as the end of a sentence.
    final String openedAt = UserLine.at();

    /// The source line that closed the file, as the end of a sentence; null while the file is open.
    private volatile @Nullable String closedAt;

    private MpiFile(Mpi mpi, OpenFile file, Set<Mode> modes) {
        super(mpi, file);
        this.modes = modes;
        mpi.open.made(this);
    }

    // ---- opening, closing

    /// Like [#open(Comm, String, Map, Mode...)], without hints.
    ///
    /// @throws MpiException as [#open(Comm, String, Map, Mode...)]
    public static MpiFile open(Comm comm, String path, Mode... modes) {
        return open(comm, path, Map.of(), modes);
    }

    /// Opens a file on all ranks, or on none. All ranks must pass the same modes, and a path of the same file;
    /// a relative path is resolved against the working directory. The hints are described at [#setInfo(Map)].
    /// Collective over `comm`, blocking. `MPI_File_open`, MPI 4.1, section 14.2.1.
    ///
    /// @throws MpiException `ERR_AMODE` if the modes exclude each other; `ERR_COMM` if `comm` is closed or has
    ///     no ranks; on all ranks `ERR_NOT_SAME` if the modes differ, `ERR_NO_SUCH_FILE`, `ERR_FILE_EXISTS`,
    ///     `ERR_ACCESS`, `ERR_BAD_FILE`, `ERR_READ_ONLY`, `ERR_NO_SPACE` or `ERR_IO` if a rank cannot open the
    ///     file, and `ERR_NO_MEM` if memory is insufficient on any rank; the job continues then
    public static MpiFile open(Comm comm, String path, Map<String, String> info, Mode... modes) {
        Arguments.given("open", "comm", comm);
        Arguments.given("open", "path", path);
        EngineCalls engine = comm.begin("open");
        Arguments.checkHints("open", "info", info, comm.port);
        EnumSet<Mode> set = EnumSet.noneOf(Mode.class);
        for (Mode mode : Arguments.given("open", "modes", modes, comm.port)) {
            set.add(Arguments.given("open", "a mode", mode, comm.port));
        }
        String wrong = wrongModes(set);
        if (wrong != null) throw MpiException.argument(ErrorClass.ERR_AMODE, "open", path + ": " + wrong, comm.port);
        FileMode mode = new FileMode(
                !set.contains(Mode.WRONLY),
                !set.contains(Mode.RDONLY),
                set.contains(Mode.CREATE),
                set.contains(Mode.EXCL),
                set.contains(Mode.TRUNCATE),
                set.contains(Mode.APPEND),
                set.contains(Mode.DELETE_ON_CLOSE));
        long bits = set.stream().mapToLong(m -> 1L << m.ordinal()).sum();
        try {
            FileCalls ranks = new FileCalls(engine, comm.mpi.windows("open"));
            OpenFile open =
                    OpenFile.open(ranks, comm.port, comm.childName("file"), path, mode, bits, set.toString(), info);
            return new MpiFile(comm.mpi, open, Collections.unmodifiableSet(set));
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    /// Returns a description of the modes that exclude each other; null if the modes are compatible.
    private static @Nullable String wrongModes(Set<Mode> set) {
        long ways = WAYS.stream().filter(set::contains).count();
        if (ways != 1) return "modes=" + set + " has " + ways + " of RDONLY, WRONLY and RDWR; pass one";
        if (set.contains(Mode.RDONLY)) {
            for (Mode m : List.of(Mode.CREATE, Mode.EXCL, Mode.TRUNCATE)) {
                if (set.contains(m)) return "modes=" + set + ": " + m + " needs WRONLY or RDWR";
            }
        }
        if (set.contains(Mode.EXCL) && !set.contains(Mode.CREATE)) return "modes=" + set + ": EXCL needs CREATE";
        if (set.contains(Mode.SEQUENTIAL) && set.contains(Mode.RDWR)) {
            return "modes=" + set + ": SEQUENTIAL needs RDONLY or WRONLY";
        }
        return null;
    }

    /// Deletes a file, which must not be open on any rank. Local, not collective. `MPI_File_delete`, MPI 4.1,
    /// section 14.2.3.
    ///
    /// @throws MpiException `ERR_NO_SUCH_FILE`, `ERR_BAD_FILE`, `ERR_ACCESS`, `ERR_READ_ONLY` or `ERR_IO`
    public static void delete(String path) {
        Arguments.given("delete", "path", path);
        EngineCalls.gate(() -> OpenFile.delete(path));
    }

    /// Closes the file on this rank; other ranks can continue to use it. Written data is then visible to other
    /// ranks; it is on the disk only if [#sync] was called after the write. With `DELETE_ON_CLOSE`, rank 0
    /// deletes the file when rank 0 closes it; ranks that still have the file open can continue to use it. A
    /// second call has no effect. Local. `MPI_File_close`, MPI 4.1, section 14.2.2.
    ///
    /// @throws MpiException `ERR_PENDING` if an access is in progress; `ERR_IO` if the system reports an error
    @Override
    public synchronized void close() {
        if (closedAt != null) return;
        mpi.engine("close");
        run("close", file::checkClose);
        closedAt = UserLine.at();
        mpi.open.closed(this);
        run("close", file::close);
    }

    @Override
    void checkOpen(String operation) {
        String at = closedAt;
        if (at != null) throw refused(ErrorClass.ERR_FILE, operation, "the file was closed" + at);
    }

    // ---- properties

    @Override
    boolean has(Mode mode) {
        return modes.contains(mode);
    }

    /// Returns the modes with which the file was opened. Local. `MPI_File_get_amode`, MPI 4.1, section 14.2.7.
    public Set<Mode> modes() {
        return modes;
    }

    /// Truncates the file, or extends it by undefined bytes. All ranks must pass the same size. Pointers do not
    /// move. Collective, blocking. `MPI_File_set_size`, MPI 4.1, section 14.2.4.
    ///
    /// @throws MpiException as [MpiFile] documents; `ERR_ARG` if `bytes` is negative; `ERR_PENDING` if an
    ///     access of this rank is in progress; on all ranks `ERR_NOT_SAME` if the sizes differ
    public void setSize(long bytes) {
        checkResize("setSize", bytes);
        run("setSize", () -> file.resize(bytes));
    }

    /// Reserves space for the first `bytes` bytes in the file system. A shorter file is extended to this size;
    /// in a longer file, holes after the first `bytes` bytes are not filled. All ranks must pass the same size.
    /// Collective, blocking. `MPI_File_preallocate`, MPI 4.1, section 14.2.5.
    ///
    /// @throws MpiException as [#setSize(long)]
    public void preallocate(long bytes) {
        checkResize("preallocate", bytes);
        run("preallocate", () -> file.preallocate(bytes));
    }

    private void checkResize(String operation, long bytes) {
        begin(operation);
        checkOffset(operation, "bytes", bytes);
        if (has(Mode.RDONLY)) {
            throw refused(ErrorClass.ERR_READ_ONLY, operation, "the file was opened RDONLY; pass RDWR or WRONLY");
        }
    }

    // ---- views

    /// Like [#setView(long, Datatype, Datatype, DataRep)], for all etypes that follow the displacement.
    ///
    /// @throws MpiException as [#setView(long, Datatype, Datatype, DataRep)]
    public void setView(long displacement, Datatype etype) {
        setView(displacement, etype, etype);
    }

    /// Like [#setView(long, Datatype, Datatype, DataRep)], in native representation.
    ///
    /// @throws MpiException as [#setView(long, Datatype, Datatype, DataRep)]
    public void setView(long displacement, Datatype etype, Datatype filetype) {
        setView(displacement, etype, filetype, DataRep.NATIVE);
    }

    /// Like [#setView(long, Datatype, Datatype, DataRep)], with the values of a [View], which can be derived
    /// from [#view()]. Collective, blocking. `MPI_File_set_view`, MPI 4.1, section 14.3.
    ///
    /// @throws MpiException as [#setView(long, Datatype, Datatype, DataRep)]
    public void setView(View view) {
        Arguments.given("setView", "view", view);
        setView(view.displacement, view.etype, view.filetype, view.representation);
    }

    /// Sets this rank's view of the file: the data of `filetype`, which is repeated from byte `displacement`
    /// on. The unit of access is `etype`. Ranks may pass different displacements and file types, but must pass
    /// etypes of the same extent, and the same representation. With `EXTERNAL32`, a displacement that a type
    /// states in elements is adapted to the size of the elements in the file, and a displacement that a type
    /// states in bytes is used unchanged; see [#typeExtent]. Pointers are reset to 0. Collective, blocking.
    /// `MPI_File_set_view`, MPI 4.1, section 14.3.
    ///
    /// @throws MpiException as [MpiFile] documents; `ERR_ARG` if the displacement is negative, if bytes of the
    ///     file type are before the displacement or not in ascending order, or if bytes occur twice in a file
    ///     that can be written; `ERR_TYPE` if the etype has no bytes, or the file type is not a whole number of
    ///     etypes; `ERR_PENDING` if an access is in progress; on all ranks `ERR_NOT_SAME` if the extents of the
    ///     etypes or the representations differ
    public void setView(long displacement, Datatype etype, Datatype filetype, DataRep representation) {
        begin("setView");
        Arguments.given("setView", "filetype", filetype);
        Arguments.given("setView", "representation", representation);
        long from = displacement(displacement);
        long etypeBytes = External32.bytes(etype);
        if (etypeBytes == 0) throw refused(ErrorClass.ERR_TYPE, "setView", "etype " + etype + " has no bytes");
        if (External32.bytes(filetype) % etypeBytes != 0) {
            throw refused(
                    ErrorClass.ERR_TYPE,
                    "setView",
                    "filetype " + filetype + " has " + External32.bytes(filetype)
                            + " bytes, not a whole number of etypes " + etype + " of " + etypeBytes);
        }
        Tiling tiling = tiling(filetype, representation);
        View wanted = View.of(from, etype).withFiletype(filetype).withRepresentation(representation);
        long extent = View.extent(etype, representation);
        run("setView", () -> {
            file.view(new FileView(from, etypeBytes, tiling), extent, representation.ordinal());
            view = wanted;
        });
    }

    private long displacement(long displacement) {
        if (has(Mode.SEQUENTIAL) != (displacement == DISPLACEMENT_CURRENT)) {
            throw refused(
                    ErrorClass.ERR_ARG,
                    "setView",
                    "displacement=" + displacement
                            + "; DISPLACEMENT_CURRENT is required for SEQUENTIAL files and"
                            + " not allowed for other files");
        }
        if (displacement == DISPLACEMENT_CURRENT) {
            return bytePosition("setView", call("setView", () -> file.sharedPointer("setView")));
        }
        checkOffset("setView", "displacement", displacement);
        return displacement;
    }

    private Tiling tiling(Datatype filetype, DataRep representation) {
        Datatype there = External32.inFile(filetype, representation == DataRep.EXTERNAL32);
        Tiling tiling = new Tiling(there.map(), there.extent());
        if (tiling.isEmpty() || tiling.low() >= 0 && tiling.isAscending()) return tiling;
        String why = there.extent() < 0
                ? "has an extent of " + there.extent() + " bytes"
                : tiling.low() < 0
                        ? "begins " + -tiling.low() + " bytes before the displacement"
                        : !tiling.isInOrder()
                                ? "has bytes that are not in ascending order"
                                : has(Mode.RDONLY)
                                        ? null
                                        : "contains bytes twice; open the file with RDONLY or avoid the overlap";
        if (why == null) return tiling;
        throw refused(ErrorClass.ERR_ARG, "setView", "filetype " + filetype + " " + why);
    }

    // ---- atomicity and visibility

    /// Sets whether accesses are atomic: overlapping accesses by ranks that opened the file in the same call of
    /// `open` are then executed one after the other. This applies to accesses that begin later; collective
    /// accesses in progress end first. All ranks must pass the same value. Collective, blocking.
    /// `MPI_File_set_atomicity`, MPI 4.1, section 14.6.1.
    ///
    /// @throws MpiException as [MpiFile] documents; on all ranks `ERR_NOT_SAME` if the values differ
    public void setAtomicity(boolean atomic) {
        begin("setAtomicity");
        run("setAtomicity", () -> file.atomic(atomic));
    }

    /// Writes the data of all ranks to the disk. Afterwards, each rank reads the data that all other ranks have
    /// written before. Collective, blocking. `MPI_File_sync`, MPI 4.1, section 14.6.1.
    ///
    /// @throws MpiException as [MpiFile] documents; `ERR_PENDING` if an access of this rank is in progress
    public void sync() {
        begin("sync");
        run("sync", file::sync);
    }

    @Override
    public String toString() {
        return "MpiFile " + path() + " (" + port + ")";
    }
}
