package mpi;

/// The layout of [MPI#FLOAT_INT]: a `float` and an index.
public final class FloatInt extends Struct {
    private final int value;
    private final int index;

    FloatInt() {
        value = addFloat();
        index = setOffset(4).addInt();
        isOf(MPI.FLOAT_INT);
    }

    @Override
    protected FloatInt.Data newData() {
        return new Data();
    }

    /// A view of an element.
    public final class Data extends Struct.Data {
        public Data() {}

        public float getValue() {
            return getFloat(value);
        }

        public int getIndex() {
            return getInt(index);
        }

        public void putValue(float v) {
            putFloat(value, v);
        }

        public void putIndex(int i) {
            putInt(index, i);
        }
    }
}
