package mpi;

/// The result of [File#getView].
public final class FileView {
    private final long disp;
    private final Datatype eType;
    private final Datatype fileType;
    private final String dataRep;

    public FileView(long disp, Datatype eType, Datatype fileType, String dataRep) {
        this.disp = disp;
        this.eType = eType;
        this.fileType = fileType;
        this.dataRep = dataRep;
    }

    public long getDisp() {
        return disp;
    }

    public Datatype getEType() {
        return eType;
    }

    public Datatype getFileType() {
        return fileType;
    }

    public String getDataRep() {
        return dataRep;
    }
}
