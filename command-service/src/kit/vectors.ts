import { endianness } from 'node:os';

/** The sign of each number as a digit: vectors of similar direction have many digits in common. */
export const signsOf = (vector: Float32Array): string =>
  Array.from(vector, (number) => (number < 0 ? '0' : '1')).join('');

/** The cosine of two vectors of length 1; below all others if they have different dimensions. */
export function cosine(one: Float32Array, other: Float32Array): number {
  if (one.length !== other.length) return -2;
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number);
  return sum;
}

const NUMBER_BYTES = 4;
const IS_LITTLE_ENDIAN = endianness() === 'LE';

/** The numbers of a vector as they are stored: four bytes each, the most significant first. */
export function bytesOf(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * NUMBER_BYTES);
  for (const [at, number] of vector.entries()) bytes.writeFloatBE(number, at * NUMBER_BYTES);
  return bytes;
}

/** The vector whose numbers are stored. Reads hundreds for each question, so not one by one. */
export function vectorIn(bytes: Buffer): Float32Array {
  const copy = Uint8Array.from(bytes);
  if (IS_LITTLE_ENDIAN) Buffer.from(copy.buffer).swap32();
  return new Float32Array(copy.buffer);
}
