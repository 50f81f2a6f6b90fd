import { hash, randomUUID } from 'node:crypto';

/** A new id: UUID version 7, so that ids sort roughly by the time of their making. */
export function newId(nowMs: number = Date.now()): string {
  const time = nowMs.toString(16).padStart(12, '0');
  // Node keeps randomness ready for these, as it does not for `randomBytes`.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** A deterministic id of these parts: UUID version 8 from their SHA-256. */
export function derivedId(...parts: readonly string[]): string {
  const text = parts.map((part) => `${part.length}:${part}`).join('');
  const bytes = hash('sha256', text, 'buffer').subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
