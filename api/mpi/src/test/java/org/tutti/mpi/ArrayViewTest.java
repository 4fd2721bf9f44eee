package org.tutti.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ArrayViewTest {
    @Test
    void reportsIndexOutsideTheArray() {
        Matrix m = Matrix.of(new double[12], 3, 4);
        assertThatThrownBy(() -> m.column(4))
                .hasMessage("Matrix: 3 x 1 elements from row 0, column 4, are not within a matrix of 3 x 4");
        assertThatThrownBy(() -> m.tile(2, 0, 2, 1))
                .hasMessage("Matrix: 2 x 1 elements from row 2, column 0, are not within a matrix of 3 x 4");
        assertThatThrownBy(() -> Matrix.of(new double[12], 3, 5))
                .hasMessage("ArrayView: sizes=[3, 5] describe 15 elements but the array has 12");
        assertThatThrownBy(() -> Matrix.of(new int[][] {{1, 2}, {3}}))
                .hasMessage("Matrix: row 1 has 1 elements but row 0 has 2");
        ArrayView g = ArrayView.of(new int[24], 2, 3, 4);
        assertThatThrownBy(() -> g.part(new int[] {0, 1, 2}, new int[] {1, 3, 1}))
                .hasMessage("ArrayView: counts=[1, 3, 1] from starts=[0, 1, 2] are not within sizes=[2, 3, 4]");
        assertThatThrownBy(() -> g.withHalo(1))
                .hasMessage("ArrayView: halo=1 on each side is too wide for sizes=[2, 3, 4]");
        assertThatThrownBy(() -> g.face(3, 1))
                .hasMessage(
                        "ArrayView: dimension=3, direction=1; pass a dimension from 0 to 2 and a direction of -1 or 1");
    }

    @Test
    void haloIsAtMostAsWideAsTheInterior() {
        assertThatThrownBy(() -> ArrayView.of(new int[25], 5, 5).withHalo(2).face(1, -1))
                .hasMessage("ArrayView: halo=2 is wider than the 1 inner cells along dimension 1");
    }

    @Test
    void aPartOfNothingIsNothing() {
        assertThat(Matrix.of(new double[12], 3, 4).tile(1, 1, 0, 2).sizeBytes()).isZero();
        assertThat(Matrix.of(new double[3][4]).tile(1, 1, 2, 0).sizeBytes()).isZero();
    }
}
