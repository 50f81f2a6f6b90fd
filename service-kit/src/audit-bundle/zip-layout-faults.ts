import type { ByteSource } from '../platform/platform.ts';
import {
  exactly,
  extraFault,
  gap,
  quoted,
  type ZipDirectory,
  type ZipEntry,
} from './zip-directory.ts';
import { isZip64Extra, largeNumbersIn, unknownExtra } from './zip-extras.ts';

const HEADER_SIGNATURE = 0x0403_4b50;
const HEADER_BYTES = 30;
const DESCRIPTOR_SIGNATURE = 0x0807_4b50;
const MAX_32 = 0xffff_ffff;
const STORED = 0;
/** Sizes and checksum are in a descriptor behind the data. */
const IS_DESCRIBED = 8;
/** What the flags may say besides: how hard it was compressed, and that names are UTF-8. */
const FLAGS = 0x0806 | IS_DESCRIBED;

/** Where the data of each entry begins, and sentences about bytes that nothing explains. */
export type ZipLayoutReport = {
  readonly starts: ReadonlyMap<ZipEntry, number>;
  readonly faults: readonly string[];
};

/**
 * Compares the files of an archive with its directory, byte for byte: each has a header that says the
 * same, and nothing is before, between or behind them. Throws where a header is damaged.
 */
export async function checkLayout(
  source: ByteSource,
  { entries, from: end }: ZipDirectory,
): Promise<ZipLayoutReport> {
  const starts = new Map<ZipEntry, number>();
  const faults: string[] = [];
  const sorted = entries.toSorted((a, b) => a.offset - b.offset);
  let at = 0;
  for (const [index, entry] of sorted.entries()) {
    if (entry.offset > at) faults.push(gap(at, entry.offset));
    else if (entry.offset < at)
      faults.push(`${quoted(entry.name)} overlaps another file in the ZIP file.`);
    const next = sorted[index + 1]?.offset ?? end;
    const start = await checkHeader(source, entry, faults);
    starts.set(entry, start);
    const dataEnd = start + entry.compressedBytes;
    at = dataEnd;
    if (entry.flags & IS_DESCRIBED) at += await descriptorBytes(source, entry, dataEnd, next);
  }
  if (end > at) faults.push(gap(at, end));
  else if (end < at) throw new Error('its directory is damaged');
  return { starts, faults };
}

/** Where the data of the entry begins. */
async function checkHeader(source: ByteSource, entry: ZipEntry, faults: string[]): Promise<number> {
  const { name, offset, flags, method } = entry;
  const header = await exactly(source, offset, offset + HEADER_BYTES);
  if (header.readUInt32LE(0) !== HEADER_SIGNATURE) {
    throw new Error(`the header of ${quoted(name)} is damaged`);
  }
  const nameEnd = HEADER_BYTES + header.readUInt16LE(26);
  const start = offset + nameEnd + header.readUInt16LE(28);
  const whole = await exactly(source, offset, start);
  const extra = whole.subarray(nameEnd);
  const [crc32, small, smallCompressed] = [14, 22, 18].map((at) => header.readUInt32LE(at));
  const numbers = largeNumbersIn(extra);
  const sizes = [small, smallCompressed].map((size) => (size === MAX_32 ? numbers.shift() : size));
  const isDescribed = (flags & IS_DESCRIBED) !== 0;
  const isUnset = isDescribed && crc32 === 0 && sizes.every((size) => size === 0);
  const isSame =
    whole.toString('utf8', HEADER_BYTES, nameEnd) === name &&
    header.readUInt16LE(6) === flags &&
    header.readUInt16LE(8) === method &&
    header.readUInt32LE(10) === entry.modified &&
    (isUnset ||
      (crc32 === entry.crc32 && sizes[0] === entry.bytes && sizes[1] === entry.compressedBytes));
  // Programs that don't know the sizes beforehand may reserve their places.
  const isZip64Right = numbers.length === 0 || (isUnset && numbers.every((number) => number === 0));
  if (!isSame || !isZip64Right || (flags & ~FLAGS) !== 0) {
    faults.push(
      `The header of ${quoted(name)} in the ZIP file (at byte ${offset}) is not what its directory says.`,
    );
  }
  if (isZip64Extra(extra) && !isDescribed && small !== MAX_32 && smallCompressed !== MAX_32) {
    faults.push(extraFault(name, 1));
  }
  const unknown = unknownExtra(extra);
  if (unknown !== null) faults.push(extraFault(name, unknown));
  if (method === STORED && entry.bytes !== entry.compressedBytes) {
    throw new Error(`the sizes of ${quoted(name)} are damaged`);
  }
  return start;
}

/** The length of the descriptor behind the data; 0 if there is none that fits. */
async function descriptorBytes(
  source: ByteSource,
  { crc32, compressedBytes, bytes }: ZipEntry,
  from: number,
  to: number,
): Promise<number> {
  const length = to - from;
  if (![12, 16, 20, 24].includes(length)) return 0;
  const found = await exactly(source, from, to);
  const isSigned = length % 8 === 0;
  if (isSigned && found.readUInt32LE(0) !== DESCRIPTOR_SIGNATURE) return 0;
  const rest = isSigned ? found.subarray(4) : found;
  const isLarge = rest.length === 20;
  const sizeAt = (at: number) =>
    isLarge ? Number(rest.readBigUInt64LE(at)) : rest.readUInt32LE(at);
  const isRight =
    rest.readUInt32LE(0) === crc32 &&
    sizeAt(4) === compressedBytes &&
    sizeAt(isLarge ? 12 : 8) === bytes;
  return isRight ? length : 0;
}
