package org.tutti.conformance.contract.file;

import static org.tutti.mpi.Buf.buf;

import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.MpiFile.DataRep;
import org.tutti.mpi.MpiFile.Mode;
import org.tutti.mpi.MpiFile.Seek;

/// Wrong arguments of file calls, and errors of the system: reported with these texts, and no pointer has
/// moved.
public final class FileArgumentContract {
    private FileArgumentContract() {}

    @Contract
    public static void contradictoryModes(Trial t) {
        try (TrialFile file = new TrialFile(t)) {
            String where = " (rank " + t.rank() + " of " + t.size() + ", C)";
            Check.rejects(
                    ErrorClass.ERR_AMODE,
                    "open: " + file.path + ": modes=[CREATE] has 0 of RDONLY, WRONLY and RDWR; pass one" + where,
                    () -> file.open(Mode.CREATE));
            Check.rejects(
                    ErrorClass.ERR_AMODE,
                    "open: " + file.path + ": modes=[RDONLY, TRUNCATE]: TRUNCATE needs WRONLY or RDWR" + where,
                    () -> file.open(Mode.RDONLY, Mode.TRUNCATE));
            Check.rejects(
                    ErrorClass.ERR_AMODE,
                    "open: " + file.path + ": modes=[WRONLY, EXCL]: EXCL needs CREATE" + where,
                    () -> file.open(Mode.WRONLY, Mode.EXCL));
            Check.rejects(
                    ErrorClass.ERR_AMODE,
                    "open: " + file.path + ": modes=[RDWR, SEQUENTIAL]: SEQUENTIAL needs RDONLY or WRONLY" + where,
                    () -> file.open(Mode.RDWR, Mode.SEQUENTIAL));
        }
    }

    @Contract
    public static void accessesOutsideTheMode(Trial t) {
        try (TrialFile file = new TrialFile(t)) {
            file.bytes(new byte[8]);
            byte[] x = new byte[4];
            try (MpiFile f = file.open(Mode.RDONLY)) {
                Check.rejects(
                        ErrorClass.ERR_READ_ONLY,
                        "writeAt: " + file.path + ": the file was opened RDONLY; pass RDWR or WRONLY" + file.at(1),
                        () -> f.writeAt(0, buf(x)));
                Check.rejects(
                        ErrorClass.ERR_READ_ONLY,
                        "setSize: " + file.path + ": the file was opened RDONLY; pass RDWR or WRONLY" + file.at(1),
                        () -> f.setSize(3));
            }
            try (MpiFile f = file.open(Mode.WRONLY)) {
                Check.rejects(
                        ErrorClass.ERR_ACCESS,
                        "ireadAll: " + file.path + ": the file was opened WRONLY; pass RDWR or RDONLY" + file.at(2),
                        () -> f.ireadAll(buf(x)));
            }
            try (MpiFile f = file.open(Mode.RDONLY, Mode.SEQUENTIAL)) {
                Check.rejects(
                        ErrorClass.ERR_UNSUPPORTED_OPERATION,
                        "readAt: " + file.path + ": a SEQUENTIAL file has only the shared pointer; use readShared,"
                                + " writeShared or a similar method" + file.at(3),
                        () -> f.readAt(0, buf(x)));
                Check.rejects(
                        ErrorClass.ERR_ARG,
                        "setView: " + file.path + ": displacement=0; DISPLACEMENT_CURRENT is required for SEQUENTIAL"
                                + " files and not allowed for other files" + file.at(3),
                        () -> f.setView(0, Datatype.INT));
                String noPosition = ": the shared pointer of a SEQUENTIAL file has no"
                        + " position; open the file without SEQUENTIAL" + file.at(3);
                Check.rejects(
                        ErrorClass.ERR_UNSUPPORTED_OPERATION,
                        "seekShared: " + file.path + noPosition,
                        () -> f.seekShared(4, Seek.SET));
                Check.rejects(
                        ErrorClass.ERR_UNSUPPORTED_OPERATION,
                        "positionShared: " + file.path + noPosition,
                        f::positionShared);
                f.readOrdered(t.rank() == 0 ? buf(new byte[4]) : Buf.NONE);
                f.setView(MpiFile.DISPLACEMENT_CURRENT, Datatype.SHORT);
                Check.same(4, f.view().displacement(), "displacement");
                Check.same(
                        2,
                        f.readOrdered(t.rank() == 0 ? buf(new short[3]) : Buf.NONE)
                                                .sizeBytes()
                                        / 2
                                + (t.rank() == 0 ? 0 : 2),
                        "elements");
            }
        }
    }

    @Contract
    public static void positionsAndData(Trial t) {
        try (TrialFile file = new TrialFile(t);
                MpiFile f = file.open(Mode.CREATE, Mode.RDWR)) {
            int[] x = new int[3];
            String p = file.path + ": ", at = file.at(1);
            Check.rejects(
                    ErrorClass.ERR_ARG, "readAt: " + p + "offset=-1 is negative" + at, () -> f.readAt(-1, buf(x)));
            Check.rejects(ErrorClass.ERR_ARG, "setSize: " + p + "bytes=-1 is negative" + at, () -> f.setSize(-1));
            Check.rejects(
                    ErrorClass.ERR_ARG,
                    "seek: " + p + "offset=-1 from CUR, which is etype 0, is not in 0 to 2^63 - 1" + at,
                    () -> f.seek(-1, Seek.CUR));
            Check.rejects(
                    ErrorClass.ERR_ARG,
                    "writeAt: " + p + "3 INT from etype " + Long.MAX_VALUE + " on end after byte 2^63 - 1 of the file"
                            + at,
                    () -> f.writeAt(Long.MAX_VALUE, buf(x)));
            Check.rejects(
                    ErrorClass.ERR_BUFFER,
                    "write: " + p + "the buffer is IN_PLACE; pass a buffer without blocks" + at,
                    () -> f.write(Buf.IN_PLACE));
            Check.rejects(
                    ErrorClass.ERR_BUFFER,
                    "write: " + p + "the buffer is 3 INT in blocks [3]; pass a buffer without blocks" + at,
                    () -> f.write(buf(x).blocks(3)));
            f.setView(0, Datatype.LONG);
            Check.rejects(
                    ErrorClass.ERR_TYPE,
                    "writeAll: " + p + "3 INT are 12 bytes, not a whole number of etypes LONG of 8 bytes" + at,
                    () -> f.writeAll(buf(x)));
            Check.rejects(
                    ErrorClass.ERR_TYPE,
                    "read: " + p
                            + "the buffer is of DOUBLE but the etype of the view is LONG; set a view with this"
                            + " etype or BYTE" + at,
                    () -> f.read(buf(new double[1])));
            Check.rejects(
                    ErrorClass.ERR_ARG,
                    "byteOffset: " + p + "etype " + Long.MAX_VALUE + " begins after byte 2^63 - 1 of the file" + at,
                    () -> f.byteOffset(Long.MAX_VALUE));
            Check.same(0, f.position(), "position");
            Check.same(0, f.size(), "size");
        }
    }

    @Contract
    public static void views(Trial t) {
        try (TrialFile file = new TrialFile(t)) {
            file.bytes(new byte[100]);
            MpiFile f = file.open(Mode.RDWR);
            String p = "setView: " + file.path + ": ", at = file.at(1);
            Check.rejects(
                    ErrorClass.ERR_ARG, p + "displacement=-4 is negative" + at, () -> f.setView(-4, Datatype.INT));
            Datatype nothing = Datatype.INT.contiguous(0);
            Check.rejects(
                    ErrorClass.ERR_TYPE, p + "etype " + nothing + " has no bytes" + at, () -> f.setView(0, nothing));
            Check.rejects(
                    ErrorClass.ERR_TYPE,
                    p + "filetype INT has 4 bytes, not a whole number of etypes LONG of 8" + at,
                    () -> f.setView(0, Datatype.LONG, Datatype.INT));
            Datatype before = Datatype.INT.hindexed(new int[] {1}, new long[] {-8});
            Check.rejects(
                    ErrorClass.ERR_ARG,
                    p + "filetype " + before + " begins 8 bytes before the displacement" + at,
                    () -> f.setView(0, Datatype.INT, before));
            Datatype back = Datatype.INT.indexedBlock(1, new int[] {3, 0});
            Check.rejects(
                    ErrorClass.ERR_ARG,
                    p + "filetype " + back + " has bytes that are not in ascending order" + at,
                    () -> f.setView(0, Datatype.INT, back));
            Datatype twice = Datatype.INT.resized(0, 2);
            Check.rejects(
                    ErrorClass.ERR_ARG,
                    p + "filetype " + twice
                            + " contains bytes twice; open the file with RDONLY or avoid the overlap"
                            + at,
                    () -> f.setView(0, Datatype.INT, twice));
            Datatype pairs = Datatype.DOUBLE_INT.resized(0, 8).contiguous(2);
            Check.rejects(
                    ErrorClass.ERR_ARG,
                    p + "filetype " + pairs
                            + " contains bytes twice; open the file with RDONLY or avoid the overlap"
                            + at,
                    () -> f.setView(0, Datatype.DOUBLE_INT, pairs));
            Datatype backwards = Datatype.INT.resized(0, -8);
            Check.rejects(
                    ErrorClass.ERR_ARG,
                    p + "filetype " + backwards + " has an extent of -8 bytes" + at,
                    () -> f.setView(0, Datatype.INT, backwards));
            f.setView(0, Datatype.INT, nothing);
            Check.same(0, f.readAtAll(0, buf(new int[0])).count(), "count of an empty read");
            Check.same(0, f.writeAll(buf(new int[0])).count(), "count of an empty write");
            Check.rejects(
                    ErrorClass.ERR_TYPE,
                    "read: " + file.path + ": the file type " + nothing + " of the view has no bytes" + at,
                    () -> f.read(buf(new int[1])));
            f.close();
            // a read-only view may contain bytes twice
            try (MpiFile g = file.open(Mode.RDONLY)) {
                g.setView(0, Datatype.INT, twice);
                Check.same(3, g.readAll(buf(new int[3])).count(), "count");
                Check.same(198, g.readAt(0, buf(new int[100])).sizeBytes(), "bytes until the end");
                Check.fails(ErrorClass.ERR_UNSUPPORTED_OPERATION, () -> g.seek(0, Seek.END));
            }
        }
    }

    @Contract(minRanks = 2)
    public static void argumentsThatMustBeEqualOnAllRanks(Trial t) {
        try (TrialFile file = new TrialFile(t);
                MpiFile f = file.open(Mode.CREATE, Mode.RDWR)) {
            String p = file.path + ": ", at = "; pass the same value on all ranks" + file.at(1);
            Check.rejects(
                    ErrorClass.ERR_NOT_SAME,
                    "setView: " + p + "the extent of the etype, in bytes, is 4 on rank 0 and 8 on rank 1" + at,
                    () -> f.setView(0, t.rank() == 1 ? Datatype.LONG : Datatype.INT));
            Check.rejects(
                    ErrorClass.ERR_NOT_SAME,
                    "setView: " + p + "the data representation is 2 on rank 0 and 0 on rank 1" + at,
                    () -> f.setView(
                            0, Datatype.INT, Datatype.INT, t.rank() == 1 ? DataRep.NATIVE : DataRep.EXTERNAL32));
            Check.rejects(
                    ErrorClass.ERR_NOT_SAME,
                    "setSize: " + p + "bytes is 0 on rank 0 and 1 on rank 1" + at,
                    () -> f.setSize(t.rank() == 1 ? 1 : 0));
            Check.rejects(
                    ErrorClass.ERR_NOT_SAME,
                    "seekShared: " + p + "the offset is 0 on rank 0 and 1 on rank 1" + at,
                    () -> f.seekShared(t.rank() == 1 ? 1 : 0, Seek.SET));
            Check.rejects(
                    ErrorClass.ERR_NOT_SAME,
                    "setAtomicity: " + p + "atomic is 0 on rank 0 and 1 on rank 1" + at,
                    () -> f.setAtomicity(t.rank() == 1));
            Check.same(0, f.size(), "size");
        }
    }

    @Contract
    public static void unmatchedSplitCalls(Trial t) {
        try (TrialFile file = new TrialFile(t);
                MpiFile f = file.open(Mode.CREATE, Mode.RDWR)) {
            String p = file.path + ": ", at = file.at(1);
            byte[] x = new byte[1];
            Check.rejects(ErrorClass.ERR_REQUEST, "readAllEnd: " + p + "no access is in progress" + at, f::readAllEnd);
            f.writeAllBegin(buf(x));
            MpiException e = Check.fails(ErrorClass.ERR_REQUEST, f::readAllEnd);
            TrialFile.checkText(e, "", " is in progress; call writeAllEnd" + at);
            e = Check.fails(ErrorClass.ERR_PENDING, () -> f.readAtAllBegin(0, buf(x)));
            TrialFile.checkText(
                    e, "", " is in progress; call writeAllEnd first: a file has one split access at a time" + at);
            f.writeAllEnd();
        }
    }

    /// If a collective access fails on one rank, it fails on all ranks, and the pointer does not move.
    @Contract
    public static void aFullDisk(Trial t) {
        try (TrialFile file = new TrialFile(t)) {
            int full = t.size() - 1;
            String path = t.rank() == full ? "/dev/full" : "/dev/null";
            MpiFile f = MpiFile.open(file.comm, path, Mode.WRONLY);
            MpiException e = Check.fails(ErrorClass.ERR_NO_SPACE, () -> f.writeAll(buf(new byte[100])));
            Check.same(MpiException.Scope.FILE, e.scope(), "scope");
            TrialFile.checkText(
                    e,
                    "writeAll: /dev/full of rank " + full + " on ",
                    ": No space left on device; 0 of 100 bytes were written at byte 0" + file.at(1));
            Check.same(0, f.position(), "position");
            // a collective write in which each rank writes one domain for all ranks: one rank cannot write the
            // assigned domain
            Datatype mine = Datatype.BYTE.resized(0, t.size());
            f.setView(t.rank(), Datatype.BYTE, mine);
            Check.fails(ErrorClass.ERR_NO_SPACE, () -> f.writeAll(buf(new byte[40_000])));
            Check.fails(
                    ErrorClass.ERR_NO_SPACE,
                    () -> f.iwriteAtAll(0, buf(new byte[40_000])).await());
            Check.same(0, f.position(), "position");
            if (t.rank() == full) {
                e = Check.fails(ErrorClass.ERR_NO_SPACE, () -> f.writeAt(0, buf(new byte[2])));
                TrialFile.checkText(e, "writeAt: /dev/full on ", "");
            } else {
                f.writeAt(0, buf(new byte[2]));
            }
            f.close();
        }
    }
}
