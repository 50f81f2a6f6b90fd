import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signKeyEntry } from './key-history.ts';
import { publishedKey } from './public-key.ts';
import { signLines } from './signed-text.ts';
import { localSigner } from './signer.ts';
import { type StatementFile, signStatement, verifyStatement } from './statement.ts';

const file: StatementFile = {
  organizationId: '0193a1b2-0000-7000-8000-000000000003',
  month: '2026-10',
  format: 'csv',
  content: Buffer.from('Section,Item\r\n'),
};
const newSigner = () => localSigner(generateKeyPairSync('ed25519').privateKey);
const [first, second, stranger] = [newSigner(), newSigner(), newSigner()];
const since = new Date('2026-11-01T00:00:00Z');
const history = [
  await signKeyEntry(first, null, since),
  await signKeyEntry(second, first, new Date('2026-12-01T00:00:00Z')),
];
const signed = async (signer = first, one = file) =>
  JSON.stringify(await signStatement(signer, one));

describe('a signed statement', () => {
  it('verifies with any key of the published history, and with that key alone', async () => {
    for (const signer of [first, second]) {
      for (const trusted of [history, signer.publicKey]) {
        const { lines, isWell } = verifyStatement(file.content, await signed(signer), trusted);
        expect([isWell, lines[0]]).toEqual([
          true,
          `The statement of 2026-10 of organization ${file.organizationId} (csv) is unchanged.`,
        ]);
      }
    }
  });

  it.each<[string, () => Promise<ReturnType<typeof verifyStatement>>, string]>([
    [
      'a changed file',
      async () => verifyStatement(Buffer.from('Section,Item\n'), await signed(), history),
      'The file differs from the signed statement of 2026-10.',
    ],
    [
      'another key',
      async () => verifyStatement(file.content, await signed(stranger), history),
      `The signature is of the key ${publishedKey(stranger.publicKey).keyId}, and yours is `,
    ],
    [
      'an altered text',
      async () =>
        verifyStatement(file.content, (await signed()).replace('2026-10', '2026-11'), history),
      `The signature is not of the key ${publishedKey(first.publicKey).keyId}.`,
    ],
    [
      'a signature of something else',
      async () =>
        verifyStatement(
          file.content,
          JSON.stringify(await signLines(first, ['tallyhand audit log', 'x'])),
          history,
        ),
      'The signature is valid, but not of a statement.',
    ],
    [
      'a file that is no signature',
      async () => verifyStatement(file.content, '<html>', history),
      'The signature is not the file that Tallyhand answers.',
    ],
    [
      'another organization',
      async () =>
        verifyStatement(file.content, await signed(), history, {
          organizationId: '0193a1b2-0000-7000-8000-000000000004',
        }),
      `The statement is of organization ${file.organizationId}, not of `,
    ],
    [
      'a forged history',
      async () => {
        const [one, two] = history;
        if (!one || !two) throw new Error('The history is short');
        const forged = [one, { ...two, previousSignature: two.signature }];
        return verifyStatement(file.content, await signed(), forged);
      },
      'The key ',
    ],
  ])('is refused with %s', async (_, verifying, sentence) => {
    const { lines, isWell } = await verifying();
    expect(isWell).toBe(false);
    expect(lines[0]?.startsWith(sentence)).toBe(true);
  });
});
