import { createHmac } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { runScript, testPool } from './fixtures/run-script.ts';
import type { ScriptRequest, ScriptRun } from './script-run.ts';

const pool = testPool();
afterAll(() => pool.dispose());

const echo: ScriptRun['fetch'] = async (request) => ({
  status: 201,
  headers: { 'x-kind': 'echo' },
  body: JSON.stringify(request),
});

describe('a request of a script', () => {
  it('uses the given fetch and returns', async () => {
    const script = `
      const answer = await fetch('https://api.example/a', {
        method: 'POST', headers: { 'X-Number': 5 }, body: JSON.stringify({ a: 'é\\0' }) });
      const { ok, status, headers } = answer;
      return { ok, status, headers, json: await answer.json(), text: typeof (await answer.text()) };`;
    expect(await runScript(pool, script, { fetch: echo })).toMatchObject({
      ok: true,
      value: {
        ok: true,
        status: 201,
        headers: { 'x-kind': 'echo' },
        json: {
          url: 'https://api.example/a',
          method: 'POST',
          headers: { 'X-Number': '5' },
          body: '{"a":"é\\u0000"}',
        },
        text: 'string',
      },
    });
  });

  it('is a GET without headers by default', async () => {
    const asked: ScriptRequest[] = [];
    const fetch: ScriptRun['fetch'] = async (request) => {
      asked.push(request);
      return { status: 404, headers: {}, body: '<html>' };
    };
    const script = `const r = await fetch('https://api.example'); return [r.ok, await r.text()];`;
    expect(await runScript(pool, script, { fetch })).toMatchObject({ value: [false, '<html>'] });
    expect(asked).toEqual([{ url: 'https://api.example', method: 'GET', headers: {} }]);
  });

  it('reports its failure to the script', async () => {
    const fetch = () => Promise.reject(new Error('x.example did not answer in time.'));
    const caught = `try { await fetch('https://x.example') } catch (error) { return error.message }`;
    expect(await runScript(pool, caught, { fetch })).toMatchObject({
      value: 'x.example did not answer in time.',
    });
    expect(await runScript(pool, `\nawait fetch('https://x.example');`, { fetch })).toMatchObject({
      ok: false,
      error: { kind: 'thrown', message: 'Error: x.example did not answer in time.' },
    });
  });

  it('fails when the host throws at once or answers nonsense', async () => {
    const broken: ScriptRun['fetch'] = () => {
      throw new Error('broken');
    };
    const script = `await fetch('https://x.example');`;
    expect(await runScript(pool, script, { fetch: broken })).toMatchObject({
      error: { kind: 'thrown', message: 'Error: broken' },
    });
    const json = `return (await fetch('https://x.example')).json();`;
    const html: ScriptRun['fetch'] = async () => ({ status: 200, headers: {}, body: '<html>' });
    const result = await runScript(pool, json, { fetch: html });
    expect(result).toMatchObject({ ok: false, error: { kind: 'thrown' } });
  });

  it('is refused beyond the number for a run, and nothing of it reaches the host', async () => {
    let asked = 0;
    const fetch: ScriptRun['fetch'] = (request, signal) => {
      asked += 1;
      return echo(request, signal);
    };
    const script = `
      const all = Array.from({ length: 500 }, (_, i) => fetch('https://x' + i + '.example'));
      const ends = await Promise.allSettled(all);
      const failed = ends.filter(({ status }) => status === 'rejected');
      return [failed.length, failed[0].reason.message];`;
    expect(await runScript(pool, script, { fetch })).toMatchObject({
      value: [480, 'A script can make 20 requests, not more.'],
    });
    expect(asked).toBe(20);
  });

  it('waits for its turn when five are running', async () => {
    let underWay = 0;
    let most = 0;
    const fetch: ScriptRun['fetch'] = async (request, signal) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      return echo(request, signal);
    };
    const script = `
      const all = Array.from({ length: 20 }, (_, i) => fetch('https://x' + i + '.example'));
      return (await Promise.all(all)).length;`;
    expect(await runScript(pool, script, { fetch })).toMatchObject({ ok: true, value: 20 });
    expect(most).toBeLessThanOrEqual(5);
  });

  it.concurrent.each([
    ['an answer', `await fetch('https://x.example');`, { responseBytes: 9 }],
    [
      'a request',
      `await fetch('https://x.example', { body: 'x'.repeat(100) });`,
      { requestBytes: 99 },
    ],
    ['one that became something else', `Object.prototype.toJSON = () => 5; await fetch('x');`, {}],
    ['a body that is no text', `await fetch('https://x.example', { body: {} });`, {}],
  ])('fails for %s that is refused', async (_, script, limits) => {
    const result = await runScript(pool, script, { fetch: echo, limits });
    expect(result).toMatchObject({ ok: false, error: { kind: 'thrown' } });
  });

  it('ends with the run: when the time is over', async () => {
    const signals: AbortSignal[] = [];
    const fetch: ScriptRun['fetch'] = (_, signal) => {
      signals.push(signal);
      return new Promise(() => {});
    };
    const result = await runScript(pool, `await fetch('https://x.example');`, {
      fetch,
      limits: { timeMs: 300 },
    });
    expect(result).toMatchObject({ ok: false, error: { kind: 'timeout' } });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('ends with the run: when the script does not wait for it', async () => {
    const signals: AbortSignal[] = [];
    const fetch: ScriptRun['fetch'] = (_, signal) => {
      signals.push(signal);
      return new Promise(() => {});
    };
    const script = `fetch('https://x.example'); return 1;`;
    expect(await runScript(pool, script, { fetch })).toMatchObject({ ok: true, value: 1 });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

describe('the secrets of a script', () => {
  const secrets = { token: 'canary-7f3a9c"/é', password: 'p@ss word+1' };
  const allowedHosts = ['api.example'];

  async function requestsOf(script: string) {
    const asked: ScriptRequest[] = [];
    const fetch: ScriptRun['fetch'] = (request, signal) => {
      asked.push(request);
      return echo(request, signal);
    };
    const result = await runScript(pool, script, { fetch, secrets, allowedHosts });
    return { asked, result };
  }

  it('are filled into headers for an allowed host, and hidden in its answer', async () => {
    const { asked, result } = await requestsOf(`
      const headers = { authorization: 'Bearer ' + secrets.token };
      const answer = await fetch('https://api.example/a', { headers });
      return [...JSON.stringify(await answer.json())].reverse().join('');`);
    expect(asked[0]?.headers).toEqual({ authorization: `Bearer ${secrets.token}` });
    const value = [...String('value' in result && result.value)].reverse().join('');
    expect(value).toContain('Bearer [secret]');
  });

  it('become a pair by basicAuth', async () => {
    const { asked } = await requestsOf(`
      const headers = { authorization: basicAuth('shop', secrets.password) };
      await fetch('https://api.example', { headers });`);
    const authorization = `Basic ${btoa(`shop:${secrets.password}`)}`;
    expect(asked[0]?.headers).toEqual({ authorization });
  });

  it('sign with hmac, whose result the script may use anywhere', async () => {
    const { asked } = await requestsOf(`
      const signed = hmac(secrets.token, 'a text', { encoding: 'base64url' });
      await fetch('https://other.example/?s=' + signed, { method: 'POST', body: signed });`);
    const signed = createHmac('sha256', secrets.token).update('a text').digest('base64url');
    expect(asked).toMatchObject([{ url: `https://other.example/?s=${signed}`, body: signed }]);
  });

  it.concurrent.each([
    ['another host', `'https://other.example', { headers: { a: secrets.token } }`, 'allowed hosts'],
    ['plain http', `'http://api.example', { headers: { a: secrets.token } }`, 'allowed hosts'],
    ['another port', `'https://api.example:8443', { headers: { a: secrets.token } }`, 'allowed'],
    ['a URL', `'https://api.example/?key=' + secrets.token`, 'not in URLs'],
    ['an escaped URL', `'https://api.example/' + encodeURIComponent(secrets.token)`, 'not in URLs'],
    ['a body', `'https://api.example', { method: 'POST', body: secrets.token }`, 'not in URLs'],
    ['a name', `'https://api.example', { headers: { ['x-' + secrets.token]: '' } }`, 'not in URLs'],
    [
      'a header that redirects keep',
      `'https://api.example', { headers: { accept: secrets.token } }`,
      'accept',
    ],
    [
      'more headers than a request needs',
      `'https://api.example', { headers: { a: secrets.token.repeat(400) } }`,
      'characters',
    ],
    ['a part', `'https://api.example', { headers: { a: secrets.token.slice(3) } }`, 'whole'],
    [
      'its base64',
      `'https://api.example', { headers: { a: 'Basic ' + btoa('u:' + secrets.token) } }`,
      'basicAuth',
    ],
  ])('are not filled into %s', async (_, call, why) => {
    const { asked, result } = await requestsOf(`await fetch(${call});`);
    expect(asked).toEqual([]);
    expect(result).toMatchObject({ ok: false, error: { message: expect.stringContaining(why) } });
  });

  it.concurrent.each([
    `return [...secrets.token].reverse().join('');`,
    `return [...secrets.token].map((char) => char.charCodeAt(0));`,
    `return btoa(btoa(secrets.token));`,
    `return secrets.token.length;`,
    `return Object.values(globalThis).concat(Object.values(secrets)).map(String).map(btoa);`,
    `return [basicAuth('a', secrets.token), atob(basicAuth('a', secrets.token).slice(14))];`,
    `return hmac('known', secrets.token);`,
    `return hmac('zz' + secrets.token, 'a', { keyEncoding: 'hex' });`,
    `return hmac(secrets.token, 'a', { keyEncoding: 'hex' });`,
    `return hmac(secrets.token.slice(0, -3), 'a');`,
  ])('are not in the hands of the script: %s', async (script) => {
    const { result } = await requestsOf(script);
    const text = JSON.stringify(result);
    for (const hidden of [secrets.token, [...secrets.token].reverse().join('')]) {
      expect(text).not.toContain(hidden);
      expect(text).not.toContain([...hidden].map((char) => char.charCodeAt(0)).join(','));
      expect(text).not.toContain(Buffer.from(hidden).toString('base64').slice(0, -3));
    }
    expect(text).not.toContain('"value":16');
  });

  it('are not revealed piece by piece by decoded keys', async () => {
    const errors = ['hex', 'base64'].map(
      (keyEncoding) => `try { hmac('ab' + secrets.token, 'a', { keyEncoding: '${keyEncoding}' }); }
        catch (error) { errors.push(error.message); }`,
    );
    const { result } = await requestsOf(`const errors = []; ${errors.join('\n')} return errors;`);
    const message = 'An encoded key must be one secret, as it is.';
    expect(result).toMatchObject({ value: [message, message] });
  });

  it.concurrent.each([
    'return secrets;',
    'return { [secrets.token]: secrets.password };',
    'return encodeURIComponent(secrets.token) + escape(1) + encodeURIComponent(secrets.password);',
    'return btoa("user:" + secrets.password);',
    'return JSON.stringify({ deep: JSON.stringify(secrets) });',
    'console.log(secrets, btoa(secrets.password)); return 1;',
    'console.log("x".repeat(32 * 1024 - 8) + secrets.token); return 1;',
    'throw new Error(secrets.token);',
    'throw secrets;',
    'throw new Error("x".repeat(3992) + secrets.token);',
    'return { toJSON() { throw new Error(secrets.token) } };',
    'await fetch("https://x.example/" + secrets.token);',
    'await import(secrets.token);',
    'new Function(secrets.token)();',
    'secrets.token();',
  ])('never appear in the result of a run: %s', async (script) => {
    const fetch = ({ url }: ScriptRequest) => Promise.reject(new Error(`No way to ${url}`));
    const text = JSON.stringify(await runScript(pool, script, { secrets, fetch }));
    expect(text).not.toContain('canary');
    expect(text).not.toMatch(/p(@|%40)ss/);
    expect(text).not.toContain(btoa('user:p@ss word').slice(7));
    expect(text).not.toContain(btoa('p@ss word').slice(0, -2));
  });
});
