package org.tutti.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.CharBuffer;
import org.junit.jupiter.api.Test;

class BufferWithoutMemoryTest {
    @Test
    void readOnlyCharBufferIsRefusedWithAWayOut() {
        String text =
                "buf: a CharBuffer that wraps a CharSequence has no memory; pass text.toCharArray(), or send the text"
                        + " with sendObject";
        CharBuffer wrapped = CharBuffer.wrap("text");
        assertThatThrownBy(() -> Buf.buf(wrapped))
                .isInstanceOf(MpiException.class)
                .hasMessage(text);
        assertThatThrownBy(() -> Buf.buf(wrapped.slice(), 2, Datatype.CHAR)).hasMessage(text);
        assertThat(Buf.buf(CharBuffer.wrap("text".toCharArray()))).isNotNull();
        assertThat(Buf.buf(CharBuffer.wrap("text".toCharArray()).asReadOnlyBuffer()))
                .isNotNull();
    }
}
