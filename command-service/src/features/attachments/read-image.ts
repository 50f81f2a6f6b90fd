import sharp from 'sharp';
import { AttachmentRejected } from './attachment-rejected.ts';

/** Enough for a photo of a phone. */
const PIXELS_MAX = 50_000_000;
const SIDE_MAX = 2_048;
const SECONDS_MAX = 20;
const BYTES_MAX = 1_500_000;
/** From the first on, until one is small enough; the last one always is. */
const TRIES = [
  { side: SIDE_MAX, quality: 85 },
  { side: SIDE_MAX, quality: 65 },
  { side: 1_024, quality: 65 },
] as const;

// Each image is read once, and by one thread.
sharp.cache(false);
sharp.concurrency(1);
// Only the readers of the kinds that are accepted: bytes choose their reader.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
});

/**
 * Decodes an image and encodes it again as a JPEG: upright, on white, at most 2,048 pixels wide and
 * high, without metadata; of an animation the first frame. Rejects with AttachmentRejected.
 */
export async function readImage(bytes: Buffer): Promise<Buffer> {
  try {
    let encoded = bytes;
    for (const { side, quality } of TRIES) {
      encoded = await sharp(bytes, { limitInputPixels: PIXELS_MAX, failOn: 'warning' })
        .timeout({ seconds: SECONDS_MAX })
        .autoOrient()
        .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
        .flatten({ background: '#fff' })
        .jpeg({ quality, chromaSubsampling: '4:4:4' })
        .toBuffer();
      if (encoded.length <= BYTES_MAX) break;
    }
    return encoded;
  } catch (error) {
    throw rejectionOf(error);
  }
}

function rejectionOf(error: unknown): AttachmentRejected {
  const said = error instanceof Error ? error.message : '';
  if (/pixel limit|too large|exceeds/i.test(said)) {
    const sentence = `The image has more than ${PIXELS_MAX / 1_000_000} million pixels.`;
    return new AttachmentRejected('bomb', sentence);
  }
  if (/timeout/i.test(said)) {
    const sentence = `Reading the image took longer than ${SECONDS_MAX} seconds.`;
    return new AttachmentRejected('timeout', sentence);
  }
  return new AttachmentRejected('broken-file', 'The image is damaged or incomplete.');
}
