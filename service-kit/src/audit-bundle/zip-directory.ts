import type { ByteSource } from '../platform/platform.ts';
import { isZip64Extra, largeNumbersIn, unknownExtra } from './zip-extras.ts';

/** A file in an archive (PKWARE APPNOTE 6.3.10), as the directory says. */
export type ZipEntry = {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  /** Time and date. */
  readonly modified: number;
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  /** Of its local header. */
  readonly offset: number;
};

export type ZipDirectory = {
  readonly entries: readonly ZipEntry[];
  /** Where it begins, and where what ends the archive begins. */
  readonly from: number;
  readonly to: number;
  /** Sentences about bytes that no file of the archive explains. */
  readonly faults: readonly string[];
};

const END_SIGNATURE = 0x0605_4b50;
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 0xffff;
const END64_SIGNATURE = 0x0606_4b50;
const END64_BYTES = 56;
const LOCATOR_SIGNATURE = 0x0706_4b50;
const LOCATOR_BYTES = 20;
const ENTRY_SIGNATURE = 0x0201_4b50;
const ENTRY_BYTES = 46;
/** Of an entry with the longest name, extra fields and comment. */
const ENTRY_BYTES_MAX = ENTRY_BYTES + 3 * 0xffff;
const MAX_16 = 0xffff;
const MAX_32 = 0xffff_ffff;

/** Reads the directory of an archive. Throws when there is none. */
export async function readDirectory(source: ByteSource, entriesMax: number): Promise<ZipDirectory> {
  const end = await readEnd(source);
  if (end.count > entriesMax) throw new Error('too many files in it');
  if (end.to - end.from > entriesMax * ENTRY_BYTES_MAX)
    throw new Error('its directory is too long');
  const faults = [...end.faults];
  const directory = await exactly(source, end.from, end.to);
  const entries: ZipEntry[] = [];
  let at = 0;
  while (entries.length < end.count) {
    if (directory.length < at + ENTRY_BYTES || directory.readUInt32LE(at) !== ENTRY_SIGNATURE) {
      throw new Error('its directory is damaged');
    }
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((place) =>
      directory.readUInt16LE(at + place),
    ) as [number, number, number];
    const length = ENTRY_BYTES + nameBytes + extraBytes + commentBytes;
    if (directory.length < at + length) throw new Error('its directory is damaged');
    const entry = entryIn(directory.subarray(at, at + length), nameBytes, extraBytes, faults);
    if (commentBytes > 0) {
      const from = end.from + at + length - commentBytes;
      faults.push(`The ZIP file has a comment on ${quoted(entry.name)} (at byte ${from}).`);
    }
    entries.push(entry);
    at += length;
  }
  if (at < directory.length) faults.push(gap(end.from + at, end.to));
  return { entries, from: end.from, to: end.to, faults };
}

function entryIn(
  record: Buffer,
  nameBytes: number,
  extraBytes: number,
  faults: string[],
): ZipEntry {
  const name = record.toString('utf8', ENTRY_BYTES, ENTRY_BYTES + nameBytes);
  const extra = record.subarray(ENTRY_BYTES + nameBytes, ENTRY_BYTES + nameBytes + extraBytes);
  const fields = {
    bytes: record.readUInt32LE(24),
    compressedBytes: record.readUInt32LE(20),
    offset: record.readUInt32LE(42),
  };
  const large = Object.values(fields).filter((value) => value === MAX_32).length;
  const numbers = largeNumbersIn(extra);
  if (large > 0 && numbers.length !== large) throw new Error('its directory is damaged');
  if (large === 0 && isZip64Extra(extra)) faults.push(extraFault(name, 1));
  const unknown = unknownExtra(extra);
  if (unknown !== null) faults.push(extraFault(name, unknown));
  const take = (value: number) => (value === MAX_32 ? (numbers.shift() ?? 0) : value);
  return {
    name,
    flags: record.readUInt16LE(8),
    method: record.readUInt16LE(10),
    modified: record.readUInt32LE(12),
    crc32: record.readUInt32LE(16),
    // In this order, which is that of the extra field.
    bytes: take(fields.bytes),
    compressedBytes: take(fields.compressedBytes),
    offset: take(fields.offset),
  };
}

type End = {
  readonly count: number;
  readonly from: number;
  readonly to: number;
  readonly faults: readonly string[];
};

/** The record that ends an archive, which other bytes may follow. */
async function readEnd(source: ByteSource): Promise<End> {
  const start = Math.max(0, source.bytes - END_BYTES - COMMENT_BYTES_MAX);
  const tail = await exactly(source, start, source.bytes);
  let at = tail.length - END_BYTES;
  while (at >= 0 && tail.readUInt32LE(at) !== END_SIGNATURE) at -= 1;
  if (at < 0) throw new Error('it has no end');
  const record = tail.subarray(at, at + END_BYTES);
  const place = start + at;
  const faults: string[] = [];
  const commentEnd = place + END_BYTES + record.readUInt16LE(20);
  if (commentEnd > source.bytes) throw new Error('it was cut off');
  if (commentEnd > place + END_BYTES) {
    faults.push(`The ZIP file has a comment (at byte ${place + END_BYTES}).`);
  }
  if (commentEnd < source.bytes) faults.push(gap(commentEnd, source.bytes));
  const small = {
    count: record.readUInt16LE(10),
    bytes: record.readUInt32LE(12),
    from: record.readUInt32LE(16),
  };
  const isOneDisk = record.readUInt32LE(4) === 0 && record.readUInt16LE(8) === small.count;
  if (!isOneDisk) throw new Error('it is one of several parts');
  const large = await readEnd64(source, place);
  if (!large) {
    if (small.count === MAX_16 || small.bytes === MAX_32 || small.from === MAX_32) {
      throw new Error('its end is damaged');
    }
    return endOf(small, place, faults);
  }
  const isSame =
    [large.count, MAX_16].includes(small.count) &&
    [large.bytes, MAX_32].includes(small.bytes) &&
    [large.from, MAX_32].includes(small.from);
  if (!isSame) throw new Error('its end is damaged');
  return endOf(large, large.place, faults);
}

type Claimed = { readonly count: number; readonly bytes: number; readonly from: number };

function endOf({ count, bytes, from }: Claimed, place: number, faults: string[]): End {
  if (from + bytes > place) throw new Error('its end is damaged');
  if (from + bytes < place) faults.push(gap(from + bytes, place));
  return { count, from, to: from + bytes, faults };
}

async function readEnd64(source: ByteSource, end: number) {
  if (end < LOCATOR_BYTES) return null;
  const locator = await exactly(source, end - LOCATOR_BYTES, end);
  if (locator.readUInt32LE(0) !== LOCATOR_SIGNATURE) return null;
  const place = Number(locator.readBigUInt64LE(8));
  // Whatever is longer than the numbers has bytes that nothing explains.
  const record = await exactly(source, place, end - LOCATOR_BYTES);
  const isWell =
    record.length === END64_BYTES &&
    record.readUInt32LE(0) === END64_SIGNATURE &&
    Number(record.readBigUInt64LE(4)) === END64_BYTES - 12 &&
    record.readBigUInt64LE(16) === 0n &&
    locator.readUInt32LE(4) === 0 &&
    locator.readUInt32LE(16) === 1 &&
    record.readBigUInt64LE(24) === record.readBigUInt64LE(32);
  if (!isWell) throw new Error('its end is damaged');
  const [count, bytes, from] = [32, 40, 48].map((at) => Number(record.readBigUInt64LE(at)));
  return { count: count ?? 0, bytes: bytes ?? 0, from: from ?? 0, place };
}

export async function exactly(source: ByteSource, from: number, to: number): Promise<Buffer> {
  const isRange = Number.isSafeInteger(from) && from >= 0 && from <= to && to <= source.bytes;
  if (!isRange) throw new Error('it was cut off');
  const bytes = await source.read(from, to);
  if (bytes.length !== to - from) throw new Error('it was cut off');
  return bytes;
}

export const quoted = (name: string) => (/^[\w.-]+$/.test(name) ? name : JSON.stringify(name));

export const gap = (from: number, to: number) =>
  to - from === 1
    ? `Byte ${from} of the ZIP file belongs to none of its files.`
    : `Bytes ${from} to ${to - 1} of the ZIP file belong to none of its files.`;

export const extraFault = (name: string, id: number) =>
  `${quoted(name)} has data in an extra field of the ZIP file (${id.toString(16).padStart(4, '0')}), which no file needs.`;
