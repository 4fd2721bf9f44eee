package mpi;

/// A number of elements that may be larger than an `int`.
@SuppressWarnings({"rawtypes", "ComparableType"}) // the original has the raw type, too
public final class Count implements Comparable {
    private long count;

    public Count(long count) {
        this.count = count;
    }

    public long getCount() {
        return count;
    }

    public void setCount(long count) {
        this.count = count;
    }

    @Override
    public int compareTo(Object other) {
        return Long.compare(count, ((Count) other).count);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Count c && c.count == count;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(count);
    }
}
