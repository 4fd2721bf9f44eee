package mpi;

/// The layout of [MPI#SHORT_INT]: a `short` and an index.
public final class ShortInt extends Struct {
    private final int value;
    private final int index;

    ShortInt() {
        value = addShort();
        index = setOffset(4).addInt();
        isOf(MPI.SHORT_INT);
    }

    @Override
    protected ShortInt.Data newData() {
        return new Data();
    }

    /// A view of an element.
    public final class Data extends Struct.Data {
        public Data() {}

        public short getValue() {
            return getShort(value);
        }

        public int getIndex() {
            return getInt(index);
        }

        public void putValue(short v) {
            putShort(value, v);
        }

        public void putIndex(int i) {
            putInt(index, i);
        }
    }
}
