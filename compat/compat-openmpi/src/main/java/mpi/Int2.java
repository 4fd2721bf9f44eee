package mpi;

/// The layout of [MPI#INT2]: an `int` and an index.
public final class Int2 extends Struct {
    private final int value;
    private final int index;

    Int2() {
        value = addInt();
        index = setOffset(4).addInt();
        isOf(MPI.INT2);
    }

    @Override
    protected Int2.Data newData() {
        return new Data();
    }

    /// A view of an element.
    public final class Data extends Struct.Data {
        public Data() {}

        public int getValue() {
            return getInt(value);
        }

        public int getIndex() {
            return getInt(index);
        }

        public void putValue(int v) {
            putInt(value, v);
        }

        public void putIndex(int i) {
            putInt(index, i);
        }
    }
}
