import { describe, expect, it } from 'vitest';
import { forOthers, type GuestMessage } from './guest-messages.ts';
import type { Json } from './script-run.ts';

const secrets = { token: 'sk-47"é/+11', pin: '90210' };

function seen(message: GuestMessage, known: Record<string, string> = secrets) {
  return forOthers(known)(message);
}

function seenValue(json: string): Json | undefined {
  const message = seen({ kind: 'ended', outcome: { ok: true, json } });
  if (message.kind !== 'ended' || !message.outcome.ok) return undefined;
  return JSON.parse(message.outcome.json);
}

describe('the masked result of a script', () => {
  it('is unchanged when there is nothing to hide', () => {
    expect(seenValue('{"a":[1,null,true,"text"],"b":190.5}')).toEqual({
      a: [1, null, true, 'text'],
      b: 190.5,
    });
    expect(seen({ kind: 'log', line: { text: 'a line', isCut: true } }, {})).toEqual({
      kind: 'log',
      line: 'a line …',
    });
  });

  it('holds no secret in values, keys and numbers, however it is written', () => {
    const { token } = secrets;
    const value = {
      plain: `Bearer ${token}`,
      nested: [JSON.stringify({ deep: JSON.stringify({ deeper: JSON.stringify({ token }) }) })],
      [token]: 1,
      url: `https://x.example/?q=${encodeURIComponent(token)}`,
      basic: Buffer.from(`user:${token}`).toString('base64'),
      pin: 90210,
    };
    const text = JSON.stringify(seenValue(JSON.stringify(value)));
    expect(text).not.toContain('sk-47');
    expect(text).not.toContain('90210');
    expect(text).not.toContain(Buffer.from(`user:${token}`).toString('base64').slice(8, 16));
    expect(text.match(/\[secret\]/g)).toHaveLength(6);
  });

  it('holds no secret in errors and logs, not even the half of one where a text was cut', () => {
    const message = { text: `no ${secrets.token} here, and sk-4`, isCut: true };
    const error = { kind: 'thrown', message, line: 3 } as const;
    const ended = seen({ kind: 'ended', outcome: { ok: false, error } });
    expect(ended).toMatchObject({ outcome: { error: { kind: 'thrown', line: 3 } } });
    expect(JSON.stringify(ended)).not.toContain('sk-4');
    const log = seen({ kind: 'log', line: { text: `${'long '.repeat(99)}sk-47"`, isCut: true } });
    expect(JSON.stringify(log)).toMatch(/long long .* …"/);
    expect(JSON.stringify(log)).not.toContain('sk-4');
  });

  it('has neither the key __proto__ nor texts that a database refuses', () => {
    const value = seenValue('{"__proto__":{"admin":true},"text":"a\\u0000b\\ud800"}');
    expect(value).toEqual({ text: 'a\ufffdb\ufffd' });
    expect('admin' in {}).toBe(false);
  });

  it('is an error when the value is too deep to be read by others', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(seenValue(nested(100))).toBeDefined();
    for (const levels of [101, 100_000]) {
      const json = nested(levels);
      expect(seen({ kind: 'ended', outcome: { ok: true, json } })).toMatchObject({
        outcome: { ok: false, error: { kind: 'not-json' } },
      });
    }
  });
});
