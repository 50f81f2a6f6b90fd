import { describe, expect, it } from 'vitest';
import { Passwords } from './passwords.ts';

const passwords = new Passwords({});

describe('a password', () => {
  it("is kept at the cost of OWASP's second profile for Argon2id", async () => {
    const hash = await passwords.hash('correct horse battery');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('is right by its hash alone, whatever the hash cost', async () => {
    const cheap = new Passwords({ passwordCost: { memoryCost: 8, timeCost: 1 } });
    const hash = await cheap.hash('correct horse battery');
    expect(await passwords.isRight(hash, 'correct horse battery')).toBe(true);
    expect(await passwords.isRight(hash, 'correct horse batterY')).toBe(false);
    expect(await passwords.isRight(null, 'no account has this password')).toBe(false);
  });
});
