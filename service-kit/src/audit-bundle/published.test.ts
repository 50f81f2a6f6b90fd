import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { itIf } from '@tallyhand/test-kit/needs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { canonicalJson, linkHash } from '../crypto/hash-chain.ts';
import { StampedCheckpoint } from './anchor.ts';
import { Manifest } from './manifest.ts';
import { ProofEntry } from './pruned.ts';
import { AuditRow, hashedText, leafOf } from './row.ts';
import { SignedText } from './signed-text.ts';
import { extraField, forgedZip } from './testing/forged-zip.ts';
import {
  archiveOf,
  checkpointOf,
  sampleBundle,
  sampleKey,
  sampleRow,
  sampleTextKey,
} from './testing/sample-bundle.ts';
import { linkableOf } from './verify-ledger-rows.ts';

/*
 * What docs/audit-bundle publishes for those who write a verifier of their own. After an intended
 * change of the format, `vitest run --update=all published` writes it again.
 */
const folder = join(import.meta.dirname, '../../../docs/audit-bundle');
const published = (text: string, name: string) =>
  expect(text).toMatchFileSnapshot(join(folder, name));
const jsonText = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

describe('the published schema', () => {
  it.each([
    ['manifest', Manifest],
    ['row', AuditRow],
    ['proof-line', ProofEntry],
    ['signed-text', SignedText],
    ['timestamp-line', StampedCheckpoint],
  ])('of a %s is that of the code', async (name, schema) => {
    const described = z.toJSONSchema(schema, {
      unrepresentable: 'any',
      override({ zodSchema, jsonSchema }) {
        // The one custom check: the data of an event.
        if (zodSchema._zod.def.type === 'custom') jsonSchema.type = 'object';
      },
    });
    await published(jsonText(described), `${name}.schema.json`);
  });
});

const judge = join(import.meta.dirname, '../../../judges/audit-bundle/verify.py');
const hasPython = ['python3', 'openssl'].every(
  (program) => spawnSync(program, ['--help']).error === undefined,
);

/** With several links of the ledger. */
const ROWS = 13;
const rows = Array.from({ length: ROWS }, (_, index) => sampleRow(index + 1));

describe('the published example', () => {
  it('is an export as the code writes it', async () => {
    for (const [name, contents] of Object.entries(await sampleBundle({ size: ROWS }))) {
      await published(String(contents), `example/${name}`);
    }
  });

  itIf(hasPython, 'Python and OpenSSL')(
    'is verified by a program that knows only the document',
    async () => {
      const { status, stdout, stderr } = spawnSync('python3', [judge, join(folder, 'example')]);
      expect([status, String(stdout), String(stderr)]).toEqual([
        0,
        `${ROWS} rows, 10 plain texts and 2 links of the ledger are right.\n`,
        '',
      ]);
    },
  );

  itIf(hasPython, 'Python and OpenSSL')(
    'is verified by it as a ZIP file, unless other bytes are in it or a text was invented',
    async () => {
      const place = mkdtempSync(join(tmpdir(), 'published-'));
      const judged = (archive: Buffer) => {
        const file = join(place, 'export.zip');
        writeFileSync(file, archive);
        return spawnSync('python3', [judge, file]).status;
      };
      const contents = await sampleBundle({ size: ROWS });
      const files = Object.entries(contents).map(([name, data]) => ({ name, data }));
      const junk = Buffer.from('hidden');
      expect(judged(archiveOf(contents))).toBe(0);
      const forgeries: readonly AuditRow['revealed'][] = [
        { 'data.username': { text: 'Eve', key: sampleTextKey(1) } },
        { 'data.username': 'Eve' },
        { 'data.title': 'Eve' },
        { type: 'Eve' },
      ];
      for (const invented of forgeries) {
        const rowOf = (sequence: number) => {
          const row = sampleRow(sequence);
          return sequence === 1 ? { ...row, revealed: invented } : row;
        };
        expect(judged(archiveOf(await sampleBundle({ size: ROWS, rowOf })))).toBe(1);
      }
      for (const forged of [
        { files, beforeDirectory: junk },
        { files, behind: junk },
        { files, comment: 'hidden' },
        { files: files.map((file) => ({ ...file, before: junk })) },
        { files: files.map((file) => ({ ...file, localExtra: extraField(0x7075, junk) })) },
        { files: [...files, { name: 'evil.txt', data: junk }] },
      ]) {
        expect(judged(forgedZip(forged)), Object.keys(forged).join()).toBe(1);
      }
      rmSync(place, { recursive: true });
    },
  );

  it('has the intermediate texts and hashes of its rows, ledger and checkpoint', async () => {
    let prev = '';
    const links = rows
      .filter(({ stream }) => stream.startsWith('ledger-'))
      .map((row) => {
        const linkable = linkableOf(row, row.stream.slice('ledger-'.length));
        const text = canonicalJson({ ...linkable, prev });
        prev = linkHash(prev, linkable);
        return { row: row.sequence, text, hash: prev };
      });
    const vectors = {
      publicKey: sampleKey.raw,
      leaves: rows.map((row) => ({
        row: row.sequence,
        text: hashedText(row),
        leaf: leafOf(row).toString('base64'),
        revealed: canonicalJson(row.revealed),
      })),
      ledger: links,
      checkpoints: await Promise.all(
        rows.map((_, index) => checkpointOf(rows.slice(0, index + 1))),
      ),
    };
    await published(jsonText(vectors), 'vectors.json');
  });
});
