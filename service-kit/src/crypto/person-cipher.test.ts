import { randomBytes } from 'node:crypto';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { describe, expect, it } from 'vitest';
import { decryptForPerson, encryptForPerson } from './person-keys.ts';

const key = randomBytes(32);

describe("a person's data", () => {
  it.each(['', 'ada@example.com', 'Åsa 返品 👩‍🔬', 'x'.repeat(10_000)])(
    'is read with the key of the person',
    async (text) => {
      expect(await decryptForPerson(key, await encryptForPerson(key, text))).toBe(text);
    },
  );
  it('is a compact JWE that shows nothing of the text, and differs each time', async () => {
    const jwe = await encryptForPerson(key, 'ada@example.com');
    expect(jwe.split('.')).toHaveLength(5);
    expect(Buffer.from(jwe.replaceAll('.', ''), 'base64url').includes('ada')).toBe(false);
    expect(await encryptForPerson(key, 'ada@example.com')).not.toBe(jwe);
  });
  it('stays closed to another key, and when it was altered', async () => {
    const jwe = await encryptForPerson(key, 'ada@example.com');
    await expect(decryptForPerson(randomBytes(32), jwe)).rejects.toThrow();
    const [header, none, iv, text = '', tag] = jwe.split('.');
    const flipped = `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;
    const altered = [header, none, iv, flipped, tag].join('.') as Ciphertext;
    await expect(decryptForPerson(key, altered)).rejects.toThrow();
  });
});
