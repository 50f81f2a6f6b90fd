import { describe, expect, it } from 'vitest';
import { checkRow, rowChecksum } from './event-rows.ts';
import type { StoredEvent } from './events.ts';
import { DamagedStoreError } from './faults.ts';

const event: StoredEvent = {
  position: 7,
  stream: 'ledger-1',
  revision: 3,
  id: Uint8Array.from({ length: 16 }, (_, i) => i),
  type: 'CreditsReserved',
  contentType: 'application/json',
  created: 1_700_000_000_000,
  metadata: Buffer.from('{"by":1}'),
  data: Buffer.from('{"amount":5}'),
};

describe('the checksum of a row', () => {
  it.each([
    { position: 8 },
    { stream: 'ledger-2' },
    { revision: 4 },
    { id: new Uint8Array(16) },
    { type: 'CreditsReleased' },
    { contentType: 'application/octet-stream' },
    { created: 1_700_000_000_001 },
    { metadata: Buffer.from('{"by":2}') },
    { data: Buffer.from('{"amount":6}') },
    // The same bytes, divided otherwise.
    { metadata: Buffer.from('{"by":1}{'), data: Buffer.from('"amount":5}') },
  ] satisfies Partial<StoredEvent>[])('covers %o', (change) => {
    const altered = { ...event, ...change };
    expect(() => checkRow(event, rowChecksum(event))).not.toThrow();
    expect(() => checkRow(altered, rowChecksum(event))).toThrow(DamagedStoreError);
  });
});
