import {
  startTimestampAuthority,
  type TimestampAnswer,
} from '@tallyhand/test-kit/timestamp-authority';
import { describe, expect, it } from 'vitest';
import { TimestampFault, timestampRequest, tokenOf, verifyTimestamp } from './timestamps.ts';

const TEXT = 'tallyhand audit anchor\n1\n';

async function ask(url: string, text = TEXT) {
  const request = timestampRequest(text);
  const answer = await fetch(url, { method: 'POST', body: request.der as Uint8Array<ArrayBuffer> });
  return tokenOf(await answer.bytes(), text, request);
}

describe('a time-stamp', () => {
  it('is of the text, at the time of the authority', async () => {
    await using authority = await startTimestampAuthority();
    const at = new Date(Math.floor(Date.now() / 1000) * 1000);
    authority.answerWith({ at });
    const { token, ...said } = await ask(authority.url);
    expect(said).toEqual({ at, authority: 'Test Time-Stamps' });
    expect(await verifyTimestamp(token, TEXT, [authority.der])).toEqual(said);
    await expect(verifyTimestamp(token, `${TEXT}x`, [authority.der])).rejects.toThrow(
      'The token is of another text',
    );
  });

  it('is not trusted from another authority', async () => {
    await using one = await startTimestampAuthority();
    await using other = await startTimestampAuthority();
    const { token } = await ask(one.url);
    await expect(verifyTimestamp(token, TEXT, [other.der])).rejects.toThrow(TimestampFault);
    await expect(verifyTimestamp(token, TEXT, [])).rejects.toThrow(TimestampFault);
  });

  it('verifies after the certificate has expired, but not from before it was valid', async () => {
    const [validFrom, validTo] = [new Date('2020-01-01'), new Date('2021-01-01')];
    await using authority = await startTimestampAuthority({ validFrom, validTo });
    authority.answerWith({ at: new Date('2020-06-01') });
    const { token } = await ask(authority.url);
    expect((await verifyTimestamp(token, TEXT, [authority.der])).at).toEqual(
      new Date('2020-06-01'),
    );
    authority.answerWith({ at: new Date('2019-06-01') });
    const early = await ask(authority.url);
    await expect(verifyTimestamp(early.token, TEXT, [authority.der])).rejects.toThrow(
      TimestampFault,
    );
  });

  it('is refused from a certificate with another purpose', async () => {
    // To sign programs.
    await using authority = await startTimestampAuthority({ purpose: '1.3.6.1.5.5.7.3.3' });
    await expect(ask(authority.url)).rejects.toThrow('not one for time-stamps');
  });

  it.each<[TimestampAnswer, string]>([
    [{ refuses: true }, 'refused with status 2'],
    [{ otherText: true }, 'of another text'],
    [{ otherNonce: true }, 'the answer to another request'],
    [{ body: Buffer.from('not found') }, 'no time-stamp answer'],
    [{ body: Buffer.alloc(0) }, 'no time-stamp answer'],
  ])('is refused with %j', async (answer, sentence) => {
    await using authority = await startTimestampAuthority();
    authority.answerWith(answer);
    await expect(ask(authority.url)).rejects.toThrow(sentence);
  });

  it('is refused when a byte of it is changed', async () => {
    await using authority = await startTimestampAuthority();
    const { token } = await ask(authority.url);
    const changed = Uint8Array.from(token);
    // The last byte is of the signature.
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    await expect(verifyTimestamp(changed, TEXT, [authority.der])).rejects.toThrow(TimestampFault);
  });
});
