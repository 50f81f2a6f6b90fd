import { describe, expect, it } from 'vitest';
import type { CommandSettings } from '../../kit/app.ts';
import { passwordsOf } from './passwords.ts';

const required = {
  publicUrl: 'https://tallyhand.example',
  trustProxy: false,
  rateLimitScale: 1,
  signingKey: '',
} satisfies CommandSettings;
const passwords = passwordsOf({ settings: required });

describe('a password', () => {
  it("is kept at the cost of OWASP's second profile for Argon2id", async () => {
    const hash = await passwords.hash('correct horse battery');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('is right by its hash alone, whatever the hash cost', async () => {
    const cheap = passwordsOf({
      settings: { ...required, passwordCost: { memoryCost: 8, timeCost: 1 } },
    });
    const hash = await cheap.hash('correct horse battery');
    expect(await passwords.isRight(hash, 'correct horse battery')).toBe(true);
    expect(await passwords.isRight(hash, 'correct horse batterY')).toBe(false);
    expect(await passwords.isRight(null, 'no account has this password')).toBe(false);
  });
});
