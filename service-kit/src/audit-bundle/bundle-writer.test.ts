import { describe, expect, it } from 'vitest';
import { type BundleRequest, bundleWriter } from './bundle-writer.ts';
import { signCheckpoint } from './checkpoint.ts';
import { leafOf } from './row.ts';
import {
  sampleHistory,
  sampleOrganization,
  sampleRow,
  sampleSigner,
} from './testing/sample-bundle.ts';

const rows = Array.from({ length: 40 }, (_, at) => sampleRow(at + 1));
const none = { auditSequence: 0, accounts: [], head: null };
const ledger = { opening: none, closing: none };
const request: BundleRequest = {
  signer: sampleSigner,
  keyHistory: sampleHistory,
  organizationId: sampleOrganization,
  filter: {},
  format: 'ndjson',
  treeSize: rows.length,
  lastSequence: rows.length,
  earlier: null,
};

/** Everything that is written, taken as often as is wished. */
async function written(pieceRows: number, change: Partial<BundleRequest> = {}) {
  const writer = bundleWriter({ ...request, ...change });
  const taken: Buffer[][] = [[], []];
  for (const row of rows) {
    writer.add(leafOf(row), row);
    if (row.sequence % pieceRows !== 0) continue;
    const piece = writer.take();
    taken[0]?.push(piece.rows);
    taken[1]?.push(piece.proof);
  }
  const { rows: restOfRows, proof, ...documents } = await writer.end(ledger);
  const [rowsText = [], proofText = []] = taken;
  return {
    ...documents,
    rows: Buffer.concat([...rowsText, restOfRows]),
    proof: Buffer.concat([...proofText, proof]),
  };
}

describe('the writer', () => {
  it('gives the same bytes each time, in whichever pieces they are taken', async () => {
    const whole = await written(1_000);
    expect(await written(1)).toEqual(whole);
    expect(await written(7)).toEqual(whole);
    const bytes = { rows: whole.rows.length, proof: whole.proof.length };
    expect(whole.parts.map((part) => [part.name, part.bytes])).toEqual([
      ['manifest.json', whole.manifest.length],
      ['manifest.sig', whole.signature.length],
      ['events.ndjson', bytes.rows],
      ['proof.ndjson', bytes.proof],
    ]);
  });

  it('refuses to sign false claims', async () => {
    await expect(written(1, { treeSize: 41 })).rejects.toThrow('ends at 40, not 41');
    await expect(written(1, { lastSequence: 39 })).rejects.toThrow('row is 40, not 39');
    await expect(written(1, { lastSequence: 41 })).rejects.toThrow('No leaf 40 in a tree of 40');
    const writer = bundleWriter(request);
    expect(() => writer.add(leafOf(sampleRow(2)), sampleRow(2))).toThrow('Row 2 came as 1');
  });

  it('refuses an earlier checkpoint of another log, or of a longer one', async () => {
    const root = Buffer.alloc(32).toString('base64');
    const checkpoint = { organizationId: sampleOrganization, size: 40, root };
    for (const other of [{ organizationId: sampleRow(1).eventId }, { size: 41 }]) {
      const earlier = await signCheckpoint(sampleSigner, { ...checkpoint, ...other });
      await expect(written(1, { earlier })).rejects.toThrow('belongs to another audit log');
    }
  });
});
