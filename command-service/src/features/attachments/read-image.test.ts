import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { isImage } from './attachments.ts';
import { readImage } from './read-image.ts';

const blank = (width: number, height: number, background = '#36c') =>
  sharp({ create: { width, height, channels: 3, background } });

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A PNG of a few bytes that claims to have so many pixels. */
function claimed(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const parts = [
    chunk('IHDR', header),
    chunk('IDAT', Buffer.alloc(20)),
    chunk('IEND', Buffer.of()),
  ];
  return Buffer.concat([signature, ...parts]);
}

describe('an attached image', () => {
  it.each(['png', 'jpeg', 'webp'] as const)('is a JPEG afterwards: %s', async (format) => {
    const bytes = await blank(300, 200).toFormat(format).toBuffer();
    expect(isImage(bytes)).toBe(true);
    const read = await sharp(await readImage(bytes)).metadata();
    expect([read.format, read.width, read.height]).toEqual(['jpeg', 300, 200]);
  });

  it('is scaled down to 2,048 pixels on its longer side', async () => {
    const bytes = await blank(3_000, 1_500).png().toBuffer();
    const { width, height } = await sharp(await readImage(bytes)).metadata();
    expect([width, height]).toEqual([2_048, 1_024]);
  });

  it('is small enough to be sent, however detailed it is', async () => {
    const raw = { width: 1_500, height: 1_500, channels: 3 } as const;
    const noise = randomBytes(raw.width * raw.height * raw.channels);
    const bytes = await sharp(noise, { raw }).png({ compressionLevel: 0 }).toBuffer();
    expect((await readImage(bytes)).length).toBeLessThan(1_500_000);
  });

  it('loses where and when it was taken, and stands upright', async () => {
    const exif = { IFD0: { Copyright: 'Canary' }, IFD3: { GPSLatitude: '48/1 51/1 30/1' } };
    const bytes = await blank(300, 200)
      .withExif(exif)
      .withMetadata({ orientation: 6 })
      .withExifMerge(exif)
      .jpeg()
      .toBuffer();
    expect(bytes.includes('Exif') && bytes.includes('Canary')).toBe(true);
    const read = await readImage(bytes);
    const { width, height, exif: kept } = await sharp(read).metadata();
    expect([width, height, kept]).toEqual([200, 300, undefined]);
    expect(read.includes('Exif') || read.includes('Canary')).toBe(false);
  });

  it('of an animation is its first frame', async () => {
    const frames = await Promise.all(
      ['#f00', '#00f'].map((one) => blank(40, 40, one).png().toBuffer()),
    );
    const animated = await sharp(frames, { join: { animated: true } })
      .webp()
      .toBuffer();
    const { dominant } = await sharp(await readImage(animated)).stats();
    expect([dominant.r > 200, dominant.b < 50]).toEqual([true, true]);
  });

  it('shows what is transparent in white', async () => {
    const create = { width: 40, height: 40, channels: 4, background: '#0000' } as const;
    const { dominant } = await sharp(
      await readImage(await sharp({ create }).png().toBuffer()),
    ).stats();
    expect(dominant.g).toBeGreaterThan(240);
  });

  it('is refused with 2,500 million pixels, before they are unpacked', async () => {
    const bytes = claimed(50_000, 50_000);
    expect(isImage(bytes)).toBe(true);
    await expect(readImage(bytes)).rejects.toMatchObject({ reason: 'bomb' });
  });

  it.each(['png', 'jpeg', 'webp'] as const)('is refused when it is cut off: %s', async (format) => {
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
    const create = { width: 300, height: 300, channels: 3, background: '#000', noise } as const;
    const bytes = await sharp({ create }).toFormat(format).toBuffer();
    const cut = bytes.subarray(0, bytes.length / 2);
    await expect(readImage(cut)).rejects.toMatchObject({ reason: 'broken-file' });
  });

  it.each([
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['HTML', '<!doctype html><img src="x" onerror="alert(1)">'],
    ['a GIF', 'GIF89a\x01\x00\x01\x00'],
    ['nothing', ''],
  ])('is not %s', (_, content) => expect(isImage(Buffer.from(content, 'latin1'))).toBe(false));

  it('is read by no other reader, whatever follows its first bytes', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    await expect(readImage(svg)).rejects.toMatchObject({ reason: 'broken-file' });
  });
});
