import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

/** How far apart two colors of a pixel may be, from 0 to 1: edges of letters vary. */
const COLOR_DISTANCE_MAX = 0.1;
/** The share of pixels that may differ: a caret, or the edge of a line. */
const SHARE_MAX = 0.0002;

export type Difference =
  | { readonly state: 'same' }
  | {
      readonly state: 'changed';
      /** Of all pixels of the larger picture. */
      readonly share: number;
      /** The accepted picture in gray, with what changed in red, as PNG. */
      readonly picture: Buffer;
    };

/** Compares two pictures in PNG. Where one is larger, its part beyond the other counts as changed. */
export function differenceOf(accepted: Buffer, taken: Buffer): Difference {
  if (accepted.equals(taken)) return { state: 'same' };
  const [before, after] = [PNG.sync.read(accepted), PNG.sync.read(taken)];
  const width = Math.max(before.width, after.width);
  const height = Math.max(before.height, after.height);
  const shown = new PNG({ width, height });
  const pixels = pixelmatch(
    extended(before, width, height),
    extended(after, width, height),
    shown.data,
    width,
    height,
    { threshold: COLOR_DISTANCE_MAX },
  );
  const share = pixels / (width * height);
  if (share <= SHARE_MAX) return { state: 'same' };
  return { state: 'changed', share, picture: PNG.sync.write(shown) };
}

/** A picture in the corner of a larger one, whose other pixels are transparent. */
function extended(picture: PNG, width: number, height: number): Buffer {
  if (picture.width === width && picture.height === height) return picture.data;
  const larger = new PNG({ width, height });
  PNG.bitblt(picture, larger, 0, 0, picture.width, picture.height, 0, 0);
  return larger.data;
}
