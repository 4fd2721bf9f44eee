package org.tutti.conformance.contract.file;

import static org.tutti.mpi.Buf.buf;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comparison;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.MpiFile.Mode;

/// Opening, querying, closing and deleting files. MPI 4.1, section 14.2.
public final class FileContract {
    private FileContract() {}

    @Contract
    public static void attributesOfAnOpenFile(Trial t) {
        try (TrialFile file = new TrialFile(t);
                MpiFile f = MpiFile.open(file.comm, file.path, Map.of("a", "b"), Mode.CREATE, Mode.RDWR)) {
            Check.same(file.path, f.path(), "path");
            Check.same(Set.of(Mode.CREATE, Mode.RDWR), f.modes(), "modes");
            Check.same(Comparison.IDENT, f.group().compare(t.world().group()), "group");
            Check.same(Map.of("a", "b"), f.info(), "info");
            f.setInfo(Map.of("cb_nodes", "1"));
            Check.same(Map.of("a", "b", "cb_nodes", "1"), f.info(), "info after a second hint");
            f.setInfo(Map.of("a", "c"));
            Check.same(Map.of("a", "c", "cb_nodes", "1"), f.info(), "info after a change");
            Check.same(0, f.size(), "size");
            f.preallocate(70_000);
            Check.same(70_000, f.size(), "size");
            MpiException e = Check.fails(ErrorClass.ERR_NO_SPACE, () -> f.preallocate(1L << 60));
            TrialFile.checkText(e, "preallocate: " + file.path + " of rank 0 on ", " more are needed" + file.at(1));
            f.preallocate(10);
            Check.same(70_000, f.size(), "size");
            f.setSize(11);
            Check.same(11, f.size(), "size");
            f.setSize(12_345);
            f.sync();
            Check.same(12_345, file.bytes().length, "bytes of the file");
            Check.same("MpiFile " + file.path + file.at(1), f.toString(), "as a text");
        }
    }

    /// CREATE preserves existing data, TRUNCATE deletes it, APPEND starts at the end.
    @Contract
    public static void modesDetermineTheInitialContent(Trial t) {
        try (TrialFile file = new TrialFile(t)) {
            file.bytes(new byte[] {1, 2, 3});
            try (MpiFile f = file.open(Mode.CREATE, Mode.WRONLY)) {
                Check.same(3, f.size(), "size");
                Check.same(0, f.position(), "position");
            }
            try (MpiFile f = file.open(Mode.RDWR, Mode.APPEND)) {
                Check.same(3, f.position(), "position");
                Check.same(3, f.positionShared(), "shared position");
                f.writeOrdered(buf(new byte[] {(byte) (10 + t.rank())}));
            }
            byte[] expected = new byte[3 + t.size()];
            for (int i = 0; i < expected.length; i++) expected[i] = (byte) (i < 3 ? i + 1 : 7 + i);
            Check.that(Arrays.equals(expected, file.bytes()), "bytes " + Arrays.toString(file.bytes()));
            try (MpiFile f = file.open(Mode.WRONLY, Mode.TRUNCATE)) {
                Check.same(0, f.size(), "size");
            }
            try (MpiFile f = file.open(Mode.RDONLY, Mode.DELETE_ON_CLOSE)) {
                Check.same(0, f.size(), "size");
            }
            t.world().barrier();
            Check.that(!Files.exists(Path.of(file.path)), "a file that was deleted when it was closed");
            try (MpiFile f = file.open(Mode.CREATE, Mode.EXCL, Mode.WRONLY)) {
                Check.same(0, f.size(), "size");
            }
            t.world().barrier();
            if (t.rank() == 0) MpiFile.delete(file.path);
        }
    }

    @Contract
    public static void filesThatCannotBeOpened(Trial t) {
        try (TrialFile file = new TrialFile(t)) {
            MpiException e = Check.fails(ErrorClass.ERR_NO_SUCH_FILE, () -> file.open(Mode.RDONLY));
            Check.same(MpiException.Scope.FILE, e.scope(), "scope");
            String pass = "; pass Mode.CREATE with RDWR or WRONLY to create it";
            TrialFile.checkText(
                    e, "open: " + file.path + " of rank 0 on ", ": the file does not exist" + pass + file.at(1));
            file.bytes(new byte[1]);
            e = Check.fails(ErrorClass.ERR_FILE_EXISTS, () -> file.open(Mode.CREATE, Mode.EXCL, Mode.RDWR));
            TrialFile.checkText(e, "", ": the file already exists" + file.at(2));
            String folder = file.folder();
            e = Check.fails(ErrorClass.ERR_BAD_FILE, () -> MpiFile.open(file.comm, folder, Mode.RDONLY));
            TrialFile.checkText(e, "", ": this is a directory" + file.at(3));
            e = Check.fails(ErrorClass.ERR_BAD_FILE, () -> MpiFile.open(file.comm, file.path + "/x", Mode.RDONLY));
            TrialFile.checkText(e, "", ": Not a directory" + file.at(4));
            Check.fails(ErrorClass.ERR_BAD_FILE, () -> MpiFile.open(file.comm, "", Mode.RDONLY));
            Check.fails(ErrorClass.ERR_BAD_FILE, () -> MpiFile.delete(folder));
            e = Check.fails(ErrorClass.ERR_NO_SUCH_FILE, () -> MpiFile.delete(file.path + "x"));
            Check.same("delete: " + file.path + "x: the file does not exist", e.getMessage(), "text");
            String away = file.folder() + "/away/deep", inside = away + "/x";
            String directory = ": directory " + away + " does not exist";
            for (Mode[] modes : new Mode[][] {{Mode.CREATE, Mode.RDWR}, {Mode.RDONLY}}) {
                e = Check.fails(ErrorClass.ERR_NO_SUCH_FILE, () -> MpiFile.open(file.comm, inside, modes));
                TrialFile.checkText(
                        e, "open: " + inside + " of rank 0 on ", directory + file.at(modes.length == 2 ? 6 : 7));
            }
            e = Check.fails(ErrorClass.ERR_NO_SUCH_FILE, () -> MpiFile.delete(inside));
            Check.same("delete: " + inside + directory, e.getMessage(), "text");
            // a relative path is reported as an absolute one
            String here = "no-such-file-of-tutti",
                    whole = Path.of(here).toAbsolutePath().toString();
            e = Check.fails(ErrorClass.ERR_NO_SUCH_FILE, () -> MpiFile.open(file.comm, here, Mode.RDWR));
            TrialFile.checkText(
                    e, "open: " + here + " of rank 0 on ", ": file " + whole + " does not exist" + pass + file.at(8));
            e = Check.fails(ErrorClass.ERR_NO_SUCH_FILE, () -> MpiFile.delete(here));
            Check.same("delete: " + here + ": file " + whole + " does not exist", e.getMessage(), "text");
        }
    }

    /// If one rank cannot open the file, no rank opens it.
    @Contract(minRanks = 2)
    public static void oneRankCannotOpen(Trial t) {
        try (TrialFile file = new TrialFile(t)) {
            file.bytes(new byte[1]);
            String mine = t.rank() == 1 ? file.path + "-not-there" : file.path;
            MpiException e = Check.fails(ErrorClass.ERR_NO_SUCH_FILE, () -> MpiFile.open(file.comm, mine, Mode.RDONLY));
            TrialFile.checkText(e, "open: " + file.path + "-not-there of rank 1 on ", "");
            Mode way = t.rank() == 1 ? Mode.RDWR : Mode.WRONLY;
            e = Check.fails(ErrorClass.ERR_NOT_SAME, () -> file.open(way, Mode.TRUNCATE));
            Check.same(
                    "open: " + file.path + ": ranks 0 and 1 passed different modes, this rank [" + way
                            + ", TRUNCATE]; pass the same value on all ranks" + file.at(2),
                    e.getMessage(),
                    "text");
            Check.same(1, file.bytes().length, "bytes of a file that was not opened");
            // a file that a failed call has created is removed
            String other = t.rank() == 1 ? file.folder() : file.path + "-new";
            Check.fails(ErrorClass.ERR_BAD_FILE, () -> MpiFile.open(file.comm, other, Mode.CREATE, Mode.RDWR));
            t.world().barrier();
            Check.that(!Files.exists(Path.of(file.path + "-new")), "a file created by a failed call");
        }
    }

    @Contract
    public static void closingIsLocal(Trial t) {
        try (TrialFile file = new TrialFile(t)) {
            MpiFile f = file.open(Mode.CREATE, Mode.RDWR);
            String closed = t.rank() == 0 ? Check.nextLine() : "";
            if (t.rank() == 0) f.close();
            t.world().barrier();
            if (t.rank() != 0) {
                f.writeAt(0, buf(new byte[] {5}));
                Check.same(1, f.writeShared(buf(new byte[] {5})).count(), "count");
                closed = Check.nextLine();
                f.close();
            }
            f.close();
            Check.rejects(
                    ErrorClass.ERR_FILE,
                    "size: " + file.path + ": the file was closed at " + closed + file.at(1),
                    f::size);
        }
    }
}
