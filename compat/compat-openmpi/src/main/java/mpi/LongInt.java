package mpi;

/// The layout of [MPI#LONG_INT]: a `long` and an index.
public final class LongInt extends Struct {
    private final int value;
    private final int index;

    LongInt() {
        value = addLong();
        index = setOffset(8).addInt();
        isOf(MPI.LONG_INT);
    }

    @Override
    protected LongInt.Data newData() {
        return new Data();
    }

    /// A view of an element.
    public final class Data extends Struct.Data {
        public Data() {}

        public long getValue() {
            return getLong(value);
        }

        public int getIndex() {
            return getInt(index);
        }

        public void putValue(long v) {
            putLong(value, v);
        }

        public void putIndex(int i) {
            putInt(index, i);
        }
    }
}
