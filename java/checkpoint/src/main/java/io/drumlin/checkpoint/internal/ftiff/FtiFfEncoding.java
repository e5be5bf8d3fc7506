package io.drumlin.checkpoint.internal.ftiff;

import io.drumlin.checkpoint.internal.file.Encoding;
import io.drumlin.format.ftiff.FileMeta;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.format.ftiff.Stamp;
import java.nio.ByteBuffer;

/** How FTI-FF files enter a Reed-Solomon group (docs/formats/fti-ff.md, section 7). */
public record FtiFfEncoding(Layout layout, int ckptId, Stamp stamp) implements Encoding {

    @Override
    public boolean embedsSize() {
        return layout.atEnd();
    }

    @Override
    public ByteBuffer record(String md5, long plainSize, long extendedSize) {
        FileMeta meta = layout.sealEncoded(md5, ckptId, stamp.timestamp(), plainSize, extendedSize);
        ByteBuffer record = ByteBuffer.allocate(layout.fileMetaLength());
        layout.put(record, meta);
        layout.mark(record.flip(), stamp);
        return record;
    }
}
