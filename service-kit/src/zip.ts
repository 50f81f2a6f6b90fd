import { crc32 } from 'node:zlib';

/** A file in an archive: whole and not compressed. */
export type ZipPart = {
  readonly name: string;
  readonly bytes: number;
  readonly crc32: number;
};

/** Bytes of the archive: some of a part, or some that are neither's. */
export type Segment =
  | { readonly kind: 'part'; readonly name: string; readonly from: number; readonly to: number }
  | { readonly kind: 'bytes'; readonly bytes: Buffer };

export type ZipLayout = {
  readonly bytes: number;
  /** The bytes from `from` up to but excluding `to`. */
  readRange(from: number, to: number): Segment[];
};

const MAX_32 = 0xffff_ffff;
const MAX_16 = 0xffff;
const VERSION = 20;
const VERSION_ZIP64 = 45;
/** Made on Unix: the attributes are a file's mode there. */
const MADE_BY = 3 << 8;
const MODE = 0o100_644;
/** 1 January 1980, where the format's time begins. */
const DATE = 0x0021;
const ZIP64_EXTRA = 1;

/**
 * The archive that holds the parts in their order (PKWARE APPNOTE 6.3.10), with ZIP64 where a number
 * needs it. Only sizes and checksums are needed: any range of it can be made without the others.
 */
export function zipLayout(parts: readonly ZipPart[]): ZipLayout {
  const segments: Segment[] = [];
  const directory: Buffer[] = [];
  let position = 0;
  const put = (segment: Segment) => {
    segments.push(segment);
    position += lengthOf(segment);
  };
  for (const part of parts) {
    directory.push(directoryEntry(part, position));
    put({ kind: 'bytes', bytes: localHeader(part) });
    put({ kind: 'part', name: part.name, from: 0, to: part.bytes });
  }
  const entries = Buffer.concat(directory);
  const end = endOf({ count: parts.length, bytes: entries.length, offset: position });
  put({ kind: 'bytes', bytes: Buffer.concat([entries, end]) });
  return { bytes: position, readRange: (from, to) => rangeOf(segments, from, to) };
}

export type ZipFile = { readonly name: string; readonly contents: Buffer };

/** An archive in one pass over its files, with at most one of them in memory. */
export async function* zipOf(files: AsyncIterable<ZipFile>): AsyncGenerator<Buffer> {
  const directory: Buffer[] = [];
  let position = 0;
  for await (const { name, contents } of files) {
    const part = { name, bytes: contents.length, crc32: crc32(contents) };
    const header = localHeader(part);
    directory.push(directoryEntry(part, position));
    position += header.length + contents.length;
    yield header;
    yield contents;
  }
  const entries = Buffer.concat(directory);
  const end = endOf({ count: directory.length, bytes: entries.length, offset: position });
  yield Buffer.concat([entries, end]);
}

const lengthOf = (segment: Segment) =>
  segment.kind === 'part' ? segment.to - segment.from : segment.bytes.length;

function rangeOf(segments: readonly Segment[], from: number, to: number): Segment[] {
  const found: Segment[] = [];
  let start = 0;
  for (const segment of segments) {
    const length = lengthOf(segment);
    const first = Math.max(from - start, 0);
    const last = Math.min(to - start, length);
    if (first < last) {
      found.push(
        segment.kind === 'part'
          ? { ...segment, from: first, to: last }
          : { ...segment, bytes: segment.bytes.subarray(first, last) },
      );
    }
    start += length;
  }
  return found;
}

function localHeader({ name, bytes, crc32 }: ZipPart): Buffer {
  const isLarge = bytes >= MAX_32;
  return record([
    [4, 0x0403_4b50],
    [2, isLarge ? VERSION_ZIP64 : VERSION],
    ...commonFields({ name, bytes, crc32 }, isLarge),
    // The format requires both sizes, although they are equal.
    [2, isLarge ? 20 : 0],
    name,
    ...(isLarge ? zip64Extra([bytes, bytes]) : []),
  ]);
}

function directoryEntry({ name, bytes, crc32 }: ZipPart, offset: number): Buffer {
  const isLarge = bytes >= MAX_32;
  const isFar = offset >= MAX_32;
  const large = [...(isLarge ? [bytes, bytes] : []), ...(isFar ? [offset] : [])];
  const version = isLarge || isFar ? VERSION_ZIP64 : VERSION;
  return record([
    [4, 0x0201_4b50],
    [2, MADE_BY + version],
    [2, version],
    ...commonFields({ name, bytes, crc32 }, isLarge),
    [2, large.length > 0 ? 4 + 8 * large.length : 0],
    [2, 0], // no comment
    [2, 0], // the first and only disk
    [2, 0], // no internal attributes
    [4, MODE * 0x1_0000],
    [4, isFar ? MAX_32 : offset],
    name,
    ...(large.length > 0 ? zip64Extra(large) : []),
  ]);
}

/** From the flags up to the length of the name. */
const commonFields = ({ name, bytes, crc32 }: ZipPart, isLarge: boolean): Field[] => [
  [2, 0], // no flags
  [2, 0], // stored
  [2, 0], // midnight
  [2, DATE],
  [4, crc32],
  [4, isLarge ? MAX_32 : bytes],
  [4, isLarge ? MAX_32 : bytes],
  [2, Buffer.byteLength(name)],
];

const zip64Extra = (numbers: readonly number[]): Field[] => [
  [2, ZIP64_EXTRA],
  [2, 8 * numbers.length],
  ...numbers.map((number): Field => [8, number]),
];

type Directory = { readonly count: number; readonly bytes: number; readonly offset: number };

function endOf({ count, bytes, offset }: Directory): Buffer {
  const isLarge = count >= MAX_16 || bytes >= MAX_32 || offset >= MAX_32;
  const zip64: Field[] = [
    [4, 0x0606_4b50],
    [8, 44], // the rest of this record
    [2, MADE_BY + VERSION_ZIP64],
    [2, VERSION_ZIP64],
    [4, 0],
    [4, 0],
    [8, count],
    [8, count],
    [8, bytes],
    [8, offset],
    [4, 0x0706_4b50], // where this record is
    [4, 0],
    [8, offset + bytes],
    [4, 1],
  ];
  return record([
    ...(isLarge ? zip64 : []),
    [4, 0x0605_4b50],
    [2, 0],
    [2, 0],
    [2, Math.min(count, MAX_16)],
    [2, Math.min(count, MAX_16)],
    [4, Math.min(bytes, MAX_32)],
    [4, Math.min(offset, MAX_32)],
    [2, 0],
  ]);
}

/** A number with its length in bytes, least first; or text. */
type Field = readonly [2 | 4 | 8, number] | string;

function record(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.map((field) => {
      if (typeof field === 'string') return Buffer.from(field);
      const [length, value] = field;
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(BigInt(value));
      return bytes.subarray(0, length);
    }),
  );
}
