package mpi;

/// The layout of [MPI#DOUBLE_INT]: a `double` and an index.
public final class DoubleInt extends Struct {
    private final int value;
    private final int index;

    DoubleInt() {
        value = addDouble();
        index = setOffset(8).addInt();
        isOf(MPI.DOUBLE_INT);
    }

    @Override
    protected DoubleInt.Data newData() {
        return new Data();
    }

    /// A view of an element.
    public final class Data extends Struct.Data {
        public Data() {}

        public double getValue() {
            return getDouble(value);
        }

        public int getIndex() {
            return getInt(index);
        }

        public void putValue(double v) {
            putDouble(value, v);
        }

        public void putIndex(int i) {
            putInt(index, i);
        }
    }
}
