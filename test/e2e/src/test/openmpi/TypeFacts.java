// Facts about datatypes, operations and structs of Open MPI's Java bindings, for OpenMpiJavaTest. Rank 0 prints
// a line for each fact that holds.

import java.nio.*;
import java.util.*;
import mpi.*;

public class TypeFacts extends OpenMpiFacts {
    static class Point extends Struct {
        final int id = addInt(), x = addDouble();

        class Data extends Struct.Data {
            int id() {
                return getInt(id);
            }

            void id(int v) {
                putInt(id, v);
            }

            double x() {
                return getDouble(x);
            }

            void x(double v) {
                putDouble(x, v);
            }
        }

        @Override
        protected Data newData() {
            return new Data();
        }
    }

    static class Line extends Struct {
        final Point point = new Point();
        final int points, tags;

        Line() throws MPIException {
            points = addStruct(point, 2);
            tags = addByte(4);
        }

        class Data extends Struct.Data {
            Point.Data end(int i) {
                return getData(point, points, i);
            }

            void tag(byte v, int i) {
                putByte(tags, i, v);
            }
        }

        @Override
        protected Data newData() {
            return new Data();
        }
    }

    public static void main(String[] args) throws Exception {
        MPI.Init(args);
        begin();

        fact("extentsAreInElementsOfTheBase", () -> {
            same(MPI.INT.getExtent(), 1);
            same(MPI.INT.getSize(), 1);
            same(MPI.INT.getName(), "MPI_INT32_T");
            Datatype v = Datatype.createVector(2, 1, 3, MPI.INT);
            same(v.getExtent(), 4);
            same(v.getSize(), 2);
            same(MPI.SHORT_INT.getExtent(), 8);
            same(MPI.SHORT_INT.getSize(), 6);
            same(MPI.LONG_INT.getExtent(), 16);
            same(MPI.LONG_INT.getSize(), 12);
            Datatype r = Datatype.createResized(MPI.INT, 0, 16);
            same(r.getExtent(), 4);
            same(r.getTrueExtent(), 1);
        });
        fact("aColumnIsAVector", () -> {
            Datatype column = Datatype.createVector(3, 1, 4, MPI.DOUBLE);
            column.commit();
            double[] m = new double[12], got = new double[12];
            for (int i = 0; i < 12; i++) m[i] = i;
            Status s = w.sendRecv(m, 1, column, next, 0, got, 1, column, before, 0);
            same(got, new double[] {0, 0, 0, 0, 4, 0, 0, 0, 8, 0, 0, 0});
            same(s.getCount(column), 1);
            same(s.getElements(column), 3);
            double[] dense = new double[3];
            w.sendRecv(MPI.slice(m, 1), 1, column, next, 0, dense, 3, MPI.DOUBLE, before, 0);
            same(dense, new double[] {1, 5, 9});
            column.free();
            same(column.isNull(), true);
        });
        fact("typesInBytes", () -> {
            Datatype h = Datatype.createHVector(2, 1, 12, MPI.INT);
            int[] got = new int[2];
            w.sendRecv(new int[] {1, 2, 3, 4}, 1, h, next, 0, got, 2, MPI.INT, before, 0);
            same(got, new int[] {1, 4});
            Datatype i = Datatype.createIndexed(new int[] {1, 2}, new int[] {3, 0}, MPI.INT);
            int[] got3 = new int[3];
            w.sendRecv(new int[] {1, 2, 3, 4}, 1, i, next, 0, got3, 3, MPI.INT, before, 0);
            same(got3, new int[] {4, 1, 2});
            Datatype hi = Datatype.createHIndexed(new int[] {1, 1}, new int[] {8, 0}, MPI.INT);
            w.sendRecv(new int[] {1, 2, 3, 4}, 1, hi, next, 0, got, 2, MPI.INT, before, 0);
            same(got, new int[] {3, 1});
            Datatype c = Datatype.createContiguous(2, MPI.INT);
            w.sendRecv(new int[] {1, 2, 3, 4}, 1, c, next, 0, got, 1, c, before, 0);
            same(got, new int[] {1, 2});
        });
        fact("booleansLieInDerivedTypesToo", () -> {
            Datatype every2 = Datatype.createVector(2, 1, 2, MPI.BOOLEAN);
            boolean[] got = new boolean[4];
            w.sendRecv(new boolean[] {true, true, true, true}, 1, every2, next, 0, got, 1, every2, before, 0);
            same(got, new boolean[] {true, false, true, false});
        });
        fact("structsAreOverBytes", () -> {
            Point p = new Point();
            same(p.getExtent(), 16);
            byte[] mem = new byte[2 * p.getExtent()], got = new byte[2 * p.getExtent()];
            Point.Data d = p.getData(mem, 1);
            d.id(7);
            d.x(2.5);
            same(d.getBuffer().capacity(), 16);
            w.sendRecv(mem, 2, p.getType(), next, 0, got, 2, p.getType(), before, 0);
            Point.Data g = p.getData(got, 1);
            same(g.x(), 2.5);
            same(g.id(), 7);
            ByteBuffer direct = MPI.newByteBuffer(32);
            Point.Data e = p.getData(direct, 1);
            e.id(9);
            same(direct.getInt(16), 9);
        });
        fact("structsHoldStructs", () -> {
            Line line = new Line();
            byte[] mem = new byte[line.getExtent()];
            Line.Data d = line.getData(mem);
            d.end(1).x(4.5);
            d.end(0).x(1.5);
            d.tag((byte) 3, 2);
            same(d.end(1).x() - d.end(0).x(), 3.0);
            same(mem[34], (byte) 3);
            same(line.getExtent(), 40);
        });
        fact("valuesWithTheirPlaces", () -> {
            byte[] mem = new byte[MPI.int2.getExtent()];
            Int2.Data d = MPI.int2.getData(mem);
            d.putValue(100 - me);
            d.putIndex(me);
            w.allReduce(mem, 1, MPI.INT2, MPI.MINLOC);
            same(d.getIndex(), n - 1);
            byte[] s = new byte[MPI.shortInt.getExtent()];
            ShortInt.Data sd = MPI.shortInt.getData(s);
            sd.putValue((short) 5);
            sd.putIndex(me);
            w.allReduce(s, 1, MPI.shortInt.getType(), MPI.MAXLOC);
            same(sd.getIndex(), 0);
            byte[] b = new byte[MPI.doubleInt.getExtent()];
            DoubleInt.Data dd = MPI.doubleInt.getData(b);
            dd.putValue(me * 1.5);
            dd.putIndex(me);
            w.allReduce(b, 1, MPI.DOUBLE_INT, MPI.MAXLOC);
            same(dd.getIndex(), n - 1);
            same(dd.getValue(), (n - 1) * 1.5);
            byte[] l = new byte[MPI.longInt.getExtent()];
            LongInt.Data ld = MPI.longInt.getData(l);
            ld.putValue(-me);
            ld.putIndex(me);
            w.allReduce(l, 1, MPI.LONG_INT, MPI.MINLOC);
            same(ld.getIndex(), n - 1);
            byte[] f = new byte[MPI.floatInt.getExtent()];
            FloatInt.Data fd = MPI.floatInt.getData(f);
            fd.putValue(me);
            fd.putIndex(me);
            w.allReduce(f, 1, MPI.FLOAT_INT, MPI.MAXLOC);
            same(fd.getValue(), (float) (n - 1));
            byte[] got = new byte[16];
            same(w.sendRecv(l, 1, MPI.LONG_INT, next, 0, got, 1, MPI.LONG_INT, before, 0).getCount(MPI.BYTE), 12);
        });
        fact("complexNumbers", () -> {
            double[] z = {1, me};
            w.allReduce(z, 1, MPI.DOUBLE_COMPLEX, MPI.SUM);
            same(DoubleComplex.get(z).getReal(), (double) n);
            float[] c = {1, 2, 3, 4};
            FloatComplex one = FloatComplex.get(c, 1);
            one.putImag(9);
            same(one.getReal(), 3f);
            same(c[3], 9f);
        });
        fact("aProgramsOwnOperation", () -> {
            Op max = new Op(new UserFunction() {
                @Override
                public void call(Object in, Object inOut, int count, Datatype type) throws MPIException {
                    int[] a = (int[]) in, b = (int[]) inOut;
                    for (int i = 0; i < count; i++) b[i] = Math.max(a[i], b[i]);
                }
            }, true);
            same(max.isNull(), true);
            same(max.isCommutative(), true);
            int[] x = {me, -me};
            w.allReduce(x, 2, MPI.INT, max);
            same(x, new int[] {n - 1, 0});
            same(max.isNull(), false);
            max.free();
            same(max.isNull(), true);
        });
        fact("anOperationOfBytesAndBooleans", () -> {
            Op and = new Op(new UserFunction() {
                @Override
                public void call(Object in, Object inOut, int count, Datatype type) throws MPIException {
                    boolean[] a = (boolean[]) in, b = (boolean[]) inOut;
                    for (int i = 0; i < count; i++) b[i] &= a[i];
                }
            }, true);
            boolean[] x = {true, me == 0};
            w.allReduce(x, 2, MPI.BOOLEAN, and);
            same(x, new boolean[] {true, n == 1});
            Op sum = new Op(new UserFunction() {
                @Override
                public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype type) throws MPIException {
                    Point p = new Point();
                    for (int i = 0; i < count; i++) {
                        Point.Data a = p.getData(in, i), b = p.getData(inOut, i);
                        b.x(a.x() + b.x());
                        b.id(a.id() + b.id());
                    }
                }
            }, true);
            Point p = new Point();
            byte[] mem = new byte[2 * p.getExtent()];
            Point.Data d = p.getData(mem, 1);
            d.x(me);
            d.id(1);
            w.allReduce(mem, 2, p.getType(), sum);
            same(d.x(), n * (n - 1) / 2.0);
            same(d.id(), n);
        });
        fact("operandsAreCombinedInRankOrder", () -> {
            Op last = new Op(new UserFunction() {
                @Override
                public void call(Object in, Object inOut, int count, Datatype type) throws MPIException {
                    // the result is the right operand
                }
            }, false);
            int[] x = {me};
            w.allReduce(x, 1, MPI.INT, last);
            same(x[0], n - 1);
        });
        fact("onlyWhatAProgramHasMadeIsFreed", () -> {
            code(MPI.ERR_TYPE, () -> MPI.INT.free());
            code(MPI.ERR_TYPE, () -> MPI.INT2.free());
            Datatype pair = Datatype.createContiguous(2, MPI.INT), copy = pair.dup();
            int[] x = new int[2], y = new int[2];
            w.sendRecv(x, 1, pair, next, 0, y, 1, pair, before, 0);
            pair.free();
            code(MPI.ERR_TYPE, () -> w.send(x, 1, pair, next, 0)); // even with an array that was sent before
            code(MPI.ERR_TYPE, () -> pair.free());
            w.sendRecv(x, 1, copy, next, 0, y, 1, copy, before, 0);
            copy.free();
        });
        fact("aSliceLiesInItsArray", () -> {
            same(MPI.slice(new int[3], 3).capacity(), 0);
            same(fails(ArrayIndexOutOfBoundsException.class, () -> MPI.slice(new int[3], 4)).getMessage(),
                    "slice: offset=4 is not in 0 to 3");
        });
        fact("attributesOfTypesAreCopied", () -> {
            int key = Datatype.createKeyval();
            Datatype t = Datatype.createContiguous(2, MPI.INT);
            t.setAttr(key, new ArrayList<>(List.of("a")));
            Datatype copy = t.dup();
            same(copy.getAttr(key), List.of("a"));
            t.deleteAttr(key);
            same(t.getAttr(key), null);
            Datatype.freeKeyval(key);
            same(t.getAttr(key), null); // the copy still has the attribute
            copy.free();
            code(MPI.ERR_KEYVAL, () -> t.getAttr(key));
            t.setName("pair");
            same(t.clone().getName(), "pair");
        });
        MPI.Finalize();
    }
}
