package mpi;

import java.nio.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.tutti.mpi.Buf;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.MpiFile.DataRep;
import org.tutti.mpi.MpiFile.Mode;
import org.tutti.mpi.MpiFile.Seek;

/// A file that all ranks of a communicator read and write. Offsets count etypes. Errors are thrown, unless the
/// program sets a different error handler.
public final class File {
    /// A blocking access.
    private interface Access {
        org.tutti.mpi.Status run(MpiFile file, Buf buf);
    }

    /// A nonblocking access.
    private interface Starter {
        org.tutti.mpi.Request start(MpiFile file, Buf buf);
    }

    /// The first half of a split collective access.
    private interface Begin {
        void begin(MpiFile file, Buf buf);
    }

    /// The second half.
    private interface End {
        org.tutti.mpi.Status end(MpiFile file);
    }

    /// Any other operation.
    private interface Action {
        void run(MpiFile file);
    }

    /// A query.
    private interface Question<T> {
        T ask(MpiFile file);
    }

    private final MpiFile file;
    private final int amode;
    private FileView view = new FileView(0, MPI.BYTE, MPI.BYTE, "native");
    private Errhandler errhandler = MPI.ERRORS_RETURN;

    public File(Comm comm, String filename, int amode) throws MPIException {
        this(comm, filename, amode, null);
    }

    public File(Comm comm, String filename, int amode, Info info) throws MPIException {
        this.amode = amode;
        try {
            file = MpiFile.open(comm.state.oneGroup(), filename, Info.map(info), modes(amode));
        } catch (MpiException | Mistake e) {
            throw Failures.of(e, MPI.ERRORS_RETURN);
        }
    }

    private static Mode[] modes(int bits) {
        List<Mode> modes = new ArrayList<>();
        if ((bits & MPI.MODE_CREATE) != 0) modes.add(Mode.CREATE);
        if ((bits & MPI.MODE_RDONLY) != 0) modes.add(Mode.RDONLY);
        if ((bits & MPI.MODE_WRONLY) != 0) modes.add(Mode.WRONLY);
        if ((bits & MPI.MODE_RDWR) != 0) modes.add(Mode.RDWR);
        if ((bits & MPI.MODE_DELETE_ON_CLOSE) != 0) modes.add(Mode.DELETE_ON_CLOSE);
        if ((bits & MPI.MODE_UNIQUE_OPEN) != 0) modes.add(Mode.UNIQUE_OPEN);
        if ((bits & MPI.MODE_EXCL) != 0) modes.add(Mode.EXCL);
        if ((bits & MPI.MODE_APPEND) != 0) modes.add(Mode.APPEND);
        if ((bits & MPI.MODE_SEQUENTIAL) != 0) modes.add(Mode.SEQUENTIAL);
        return modes.toArray(Mode[]::new);
    }

    private MPIException failed(RuntimeException e) {
        return Failures.of(e, errhandler);
    }

    private Buf data(Object buf, int count, Datatype type) throws MPIException {
        return isExternal() ? Data.real(buf, count, type) : Data.of(buf, count, type);
    }

    private boolean isExternal() {
        return view.getDataRep().equals("external32");
    }

    private Status run(Access access, Object buf, int count, Datatype type) throws MPIException {
        LifeCycle.mpi();
        try {
            return Status.of(access.run(file, data(buf, count, type)));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    private Request start(Starter starter, Buffer buf, int count, Datatype type) throws MPIException {
        LifeCycle.mpi();
        Data.checkDirect(buf, count);
        try {
            return new Request(starter.start(file, data(buf, count, type)), errhandler);
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    private void begin(Begin begin, Object buf, int count, Datatype type) throws MPIException {
        LifeCycle.mpi();
        try {
            begin.begin(file, data(buf, count, type));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    private Status end(End end) throws MPIException {
        LifeCycle.mpi();
        try {
            return Status.of(end.end(file));
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    private void run(Action action) throws MPIException {
        LifeCycle.mpi();
        try {
            action.run(file);
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    private <T> T ask(Question<T> question) throws MPIException {
        LifeCycle.mpi();
        try {
            return question.ask(file);
        } catch (MpiException | Mistake e) {
            throw failed(e);
        }
    }

    // ---- the file

    public void close() throws MPIException {
        run(MpiFile::close);
    }

    public static void delete(String filename) throws MPIException {
        LifeCycle.mpi();
        try {
            MpiFile.delete(filename);
        } catch (MpiException | Mistake e) {
            throw Failures.of(e, MPI.ERRORS_RETURN);
        }
    }

    public static void delete(String filename, Info info) throws MPIException {
        delete(filename);
    }

    public void setSize(long size) throws MPIException {
        run(f -> f.setSize(size));
    }

    public void preallocate(long size) throws MPIException {
        run(f -> f.preallocate(size));
    }

    public long getSize() throws MPIException {
        return ask(MpiFile::size);
    }

    public Group getGroup() throws MPIException {
        return new Group(ask(MpiFile::group));
    }

    public int getAMode() throws MPIException {
        LifeCycle.mpi();
        return amode;
    }

    public Info getInfo() throws MPIException {
        return Info.of(ask(MpiFile::info));
    }

    public void setInfo(Info info) throws MPIException {
        Map<String, String> hints = Info.map(info);
        run(f -> f.setInfo(hints));
    }

    public void setAtomicity(boolean on) throws MPIException {
        run(f -> f.setAtomicity(on));
    }

    public boolean getAtomicity() throws MPIException {
        return ask(MpiFile::isAtomic);
    }

    public void sync() throws MPIException {
        run(MpiFile::sync);
    }

    public Errhandler getErrhandler() throws MPIException {
        LifeCycle.mpi();
        return errhandler;
    }

    public void setErrhandler(Errhandler handler) throws MPIException {
        LifeCycle.mpi();
        errhandler = handler;
    }

    public void callErrhandler(int code) throws MPIException {
        Failures.called(code, errhandler);
    }

    // ---- views and pointers

    public void setView(long disp, Datatype eType, Datatype fileType, String dataRep) throws MPIException {
        setView(disp, eType, fileType, dataRep, null);
    }

    public void setView(long disp, Datatype eType, Datatype fileType, String dataRep, Info info) throws MPIException {
        LifeCycle.mpi();
        DataRep representation;
        try {
            representation = DataRep.valueOf(dataRep.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw Failures.of(
                    MPI.ERR_UNSUPPORTED_DATAREP,
                    "MPI_ERR_UNSUPPORTED_DATAREP: \"" + dataRep + "\"; use native, internal or external32",
                    errhandler);
        }
        boolean real = representation == DataRep.EXTERNAL32;
        org.tutti.mpi.Datatype etype = real ? eType.real : eType.element();
        org.tutti.mpi.Datatype filetype = real ? fileType.real : fileType.element();
        run(f -> f.setView(disp, etype, filetype, representation));
        view = new FileView(disp, eType, fileType, dataRep);
        if (info != null && !info.isNull()) setInfo(info);
    }

    public FileView getView() {
        return view;
    }

    public int getTypeExtent(Datatype type) throws MPIException {
        return Math.toIntExact(ask(f -> f.typeExtent(isExternal() ? type.real : type.element())));
    }

    private static Seek whence(int number) throws MPIException {
        if (number == MPI.SEEK_SET) return Seek.SET;
        if (number == MPI.SEEK_CUR) return Seek.CUR;
        if (number == MPI.SEEK_END) return Seek.END;
        throw Failures.of(
                MPI.ERR_ARG,
                "MPI_ERR_ARG: whence=" + number + "; use MPI.SEEK_SET, SEEK_CUR or SEEK_END",
                MPI.ERRORS_RETURN);
    }

    public void seek(long offset, int whence) throws MPIException {
        Seek from = whence(whence);
        run(f -> f.seek(offset, from));
    }

    public void seekShared(long offset, int whence) throws MPIException {
        Seek from = whence(whence);
        run(f -> f.seekShared(offset, from));
    }

    public long getPosition() throws MPIException {
        return ask(MpiFile::position);
    }

    public long getPositionShared() throws MPIException {
        return ask(MpiFile::positionShared);
    }

    public long getByteOffset(long offset) throws MPIException {
        return ask(f -> f.byteOffset(offset));
    }

    // ---- data

    public Status read(Object buf, int count, Datatype type) throws MPIException {
        return run(MpiFile::read, buf, count, type);
    }

    public Status readAll(Object buf, int count, Datatype type) throws MPIException {
        return run(MpiFile::readAll, buf, count, type);
    }

    public Status readShared(Object buf, int count, Datatype type) throws MPIException {
        return run(MpiFile::readShared, buf, count, type);
    }

    public Status readOrdered(Object buf, int count, Datatype type) throws MPIException {
        return run(MpiFile::readOrdered, buf, count, type);
    }

    public Status readAt(long offset, Object buf, int count, Datatype type) throws MPIException {
        return run((f, b) -> f.readAt(offset, b), buf, count, type);
    }

    public Status readAtAll(long offset, Object buf, int count, Datatype type) throws MPIException {
        return run((f, b) -> f.readAtAll(offset, b), buf, count, type);
    }

    public Request iRead(Buffer buf, int count, Datatype type) throws MPIException {
        return start(MpiFile::iread, buf, count, type);
    }

    public Request iReadAll(Buffer buf, int count, Datatype type) throws MPIException {
        return start(MpiFile::ireadAll, buf, count, type);
    }

    public Request iReadShared(Buffer buf, int count, Datatype type) throws MPIException {
        return start(MpiFile::ireadShared, buf, count, type);
    }

    public Request iReadAt(long offset, Buffer buf, int count, Datatype type) throws MPIException {
        return start((f, b) -> f.ireadAt(offset, b), buf, count, type);
    }

    public Request iReadAtAll(long offset, Buffer buf, int count, Datatype type) throws MPIException {
        return start((f, b) -> f.ireadAtAll(offset, b), buf, count, type);
    }

    public void readAllBegin(Object buf, int count, Datatype type) throws MPIException {
        begin(MpiFile::readAllBegin, buf, count, type);
    }

    public Status readAllEnd(Object buf) throws MPIException {
        return end(MpiFile::readAllEnd);
    }

    public void readOrderedBegin(Object buf, int count, Datatype type) throws MPIException {
        begin(MpiFile::readOrderedBegin, buf, count, type);
    }

    public Status readOrderedEnd(Object buf) throws MPIException {
        return end(MpiFile::readOrderedEnd);
    }

    public void readAtAllBegin(long offset, Object buf, int count, Datatype type) throws MPIException {
        begin((f, b) -> f.readAtAllBegin(offset, b), buf, count, type);
    }

    public Status readAtAllEnd(Object buf) throws MPIException {
        return end(MpiFile::readAtAllEnd);
    }

    public Status write(Object buf, int count, Datatype type) throws MPIException {
        return run(MpiFile::write, buf, count, type);
    }

    public Status writeAll(Object buf, int count, Datatype type) throws MPIException {
        return run(MpiFile::writeAll, buf, count, type);
    }

    public Status writeShared(Object buf, int count, Datatype type) throws MPIException {
        return run(MpiFile::writeShared, buf, count, type);
    }

    public Status writeOrdered(Object buf, int count, Datatype type) throws MPIException {
        return run(MpiFile::writeOrdered, buf, count, type);
    }

    public Status writeAt(long offset, Object buf, int count, Datatype type) throws MPIException {
        return run((f, b) -> f.writeAt(offset, b), buf, count, type);
    }

    public Status writeAtAll(long offset, Object buf, int count, Datatype type) throws MPIException {
        return run((f, b) -> f.writeAtAll(offset, b), buf, count, type);
    }

    public Request iWrite(Buffer buf, int count, Datatype type) throws MPIException {
        return start(MpiFile::iwrite, buf, count, type);
    }

    public Request iWriteAll(Buffer buf, int count, Datatype type) throws MPIException {
        return start(MpiFile::iwriteAll, buf, count, type);
    }

    public Request iWriteShared(Buffer buf, int count, Datatype type) throws MPIException {
        return start(MpiFile::iwriteShared, buf, count, type);
    }

    public Request iWriteAt(long offset, Buffer buf, int count, Datatype type) throws MPIException {
        return start((f, b) -> f.iwriteAt(offset, b), buf, count, type);
    }

    public Request iWriteAtAll(long offset, Buffer buf, int count, Datatype type) throws MPIException {
        return start((f, b) -> f.iwriteAtAll(offset, b), buf, count, type);
    }

    public void writeAllBegin(Object buf, int count, Datatype type) throws MPIException {
        begin(MpiFile::writeAllBegin, buf, count, type);
    }

    public Status writeAllEnd(Object buf) throws MPIException {
        return end(MpiFile::writeAllEnd);
    }

    public void writeOrderedBegin(Object buf, int count, Datatype type) throws MPIException {
        begin(MpiFile::writeOrderedBegin, buf, count, type);
    }

    public Status writeOrderedEnd(Object buf) throws MPIException {
        return end(MpiFile::writeOrderedEnd);
    }

    public void writeAtAllBegin(long offset, Object buf, int count, Datatype type) throws MPIException {
        begin((f, b) -> f.writeAtAllBegin(offset, b), buf, count, type);
    }

    public Status writeAtAllEnd(Object buf) throws MPIException {
        return end(MpiFile::writeAtAllEnd);
    }
}
