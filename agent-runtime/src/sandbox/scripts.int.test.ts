import { afterAll, describe, expect, it } from 'vitest';
import { runScript, testPool } from './fixtures/run-script.ts';
import type { ScriptErrorKind, ScriptLimits, ScriptRun } from './script-run.ts';

const pool = testPool();
afterAll(() => pool.dispose());

async function outputOf(script: string, given?: Partial<ScriptRun>) {
  const result = await runScript(pool, script, given);
  return result.ok ? result.value : result.error;
}

async function errorOf(script: string, limits: Partial<ScriptLimits> = {}) {
  const result = await runScript(pool, script, { limits });
  return result.ok ? undefined : result.error;
}

describe('a script', () => {
  it('returns its result', async () => {
    const input = { names: ['Ada', 'Grace'], note: 'a\0b \ud83d\ude00' };
    expect(await outputOf('return { ...input, count: input.names.length };', { input })).toEqual({
      names: ['Ada', 'Grace'],
      note: 'a\ufffdb \ud83d\ude00',
      count: 2,
    });
  });

  it('may await, sleep, and use dates, random numbers and base64', async () => {
    const script = `
      await sleep(1);
      const [one, two] = await Promise.all([1, Promise.resolve(2)]);
      const known = typeof Date.now() === 'number' && Math.random() < 1;
      return [one + two, known, btoa('a:\\xff\\0'), atob(btoa('a:\\xff'))]; // the end`;
    expect(await outputOf(script)).toEqual([3, true, btoa('a:\xff\0'), 'a:\xff']);
  });

  it('returns null without a return value', async () => {
    expect(await runScript(pool, 'input;', { input: 1 })).toMatchObject({ ok: true, value: null });
  });

  it('logs values of every kind', async () => {
    const script = `
      console.log('text', 1n, undefined, null, Symbol('s'), { a: [1] });
      const circle = {}; circle.circle = circle;
      console.error(circle, 'a\\0b');
      console.warn(); console.info({ toJSON() { throw 1 } });`;
    const { logs } = await runScript(pool, script);
    const kinds = 'text 1n undefined null Symbol(s) {"a":[1]}'.replace('1n', '1');
    expect(logs).toEqual([kinds, '[object Object] a\ufffdb', '', '[object Object]']);
  });

  it('keeps its log when it fails, even when its thread had to be ended', async () => {
    const endless = 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);';
    const result = await runScript(pool, `console.log('before'); ${endless}`, {
      limits: { timeMs: 300 },
    });
    expect(result).toMatchObject({ ok: false, error: { kind: 'timeout' }, logs: ['before'] });
  });

  it('keeps a bounded log', async () => {
    const script = `console.log('x'.repeat(5e6)); for (let i = 0; i < 1e4; i++) console.log(i);`;
    const { ok, logs } = await runScript(pool, script, { limits: { logBytes: 1_000 } });
    expect(ok).toBe(true);
    expect(logs).toEqual([`${'x'.repeat(1_000)} …`]);
    const many = await runScript(pool, script.slice(script.indexOf(';') + 1));
    expect(many.logs).toHaveLength(200);
  });
});

describe('a script that fails', () => {
  const thrown: [script: string, message: string, line?: number][] = [
    ['\n\nnope();', "ReferenceError: 'nope' is not defined", 3],
    ['await null;\nthrow new TypeError("bad");', 'TypeError: bad', 2],
    ['throw "only text";', 'only text'],
    ['throw undefined;', 'undefined'],
    ['throw { code: 7 };', '{"code":7}'],
    ['throw 10n;', '10'],
    ['throw () => 1;', '() => 1'],
    ['throw { get message() { throw 1 } };', 'something odd was thrown'],
    ['throw new Proxy({}, { get() { throw 1 } });', 'something odd was thrown'],
    ['throw { get message() { for (;;); } };', 'something odd was thrown'],
    ['return JSON.parse("{");', 'SyntaxError: ', 1],
    ['(function again() { return 1 + again(); })();', 'InternalError: stack overflow', 1],
    ['[1].map(function again() { return [1].map(again); });', 'InternalError: stack overflow', 1],
    ['eval("[".repeat(200000));', 'SyntaxError: stack overflow'],
    ['await Promise.any([]);', 'AggregateError: '],
  ];
  it.concurrent.each(thrown)('reports a thrown value: %s', async (script, message, line) => {
    const error = await errorOf(script);
    expect(error).toMatchObject({ kind: 'thrown', ...(line === undefined ? {} : { line }) });
    expect(error?.message).toContain(message);
  });

  const others: [kind: ScriptErrorKind, script: string, limits?: Partial<ScriptLimits>][] = [
    ['syntax', 'const ok = 1;\nlet x = ;'],
    ['syntax', 'import fs from "node:fs";'],
    ['timeout', 'let n = 0; for (;;) n++;', { timeMs: 100 }],
    ['timeout', 'for (;;) await null;', { timeMs: 100 }],
    ['timeout', 'for (;;) { try { for (;;); } catch {} finally { continue } }', { timeMs: 100 }],
    ['timeout', '/^(a+)+$/.test("a".repeat(40) + "b");', { timeMs: 100 }],
    ['timeout', 'new Array(4e9).includes(1);', { timeMs: 100 }],
    [
      'timeout',
      'const all = []; for (;;) try { all.push(new Array(1e5)) } catch {}',
      { timeMs: 500 },
    ],
    ['timeout', 'await sleep(1e9);', { timeMs: 100 }],
    ['timeout', 'return { toJSON() { for (;;); } };', { timeMs: 100 }],
    ['timeout', '}); for (;;); (async () => {', { timeMs: 100 }],
    ['timeout', 'await new Promise(() => {});'],
    ['memory', 'const all = []; for (;;) all.push(new Array(1000).fill(1));'],
    ['memory', 'const all = []; for (let i = 0; ; i++) all.push("text " + i);'],
    ['memory', 'const all = []; for (;;) all.push(new Uint8Array(1e6));'],
    ['memory', 'globalThis.all = []; for (;;) all.push("x".repeat(100_000) + all.length);'],
    ['memory', 'new ArrayBuffer(1e9);'],
    ['memory', 'return "a".repeat(2 ** 29);'],
    ['output-too-large', 'return "x".repeat(300_000);'],
    ['output-too-large', 'return "\\u00e9".repeat(200_000);'],
    ['output-too-large', 'return Array(200_000).fill(7);'],
    ['not-json', 'return 10n;'],
    ['not-json', 'return () => 1;'],
    ['not-json', 'return Symbol("s");'],
    ['not-json', 'const a = {}; a.a = a; return a;'],
    ['not-json', 'return { get a() { throw new Error("no") } };'],
    ['not-json', 'let a = []; for (let i = 0; i < 200; i++) a = [a]; return a;'],
  ];
  it.concurrent.each(others)('ends with %s: %s', async (kind, script, limits) => {
    expect(await errorOf(script, limits)).toMatchObject({
      kind,
    });
  });

  it('is not started with an input that has no room in its memory', async () => {
    const result = await runScript(pool, 'return 1;', { input: 'x'.repeat(5_000_000) });
    expect(result).toMatchObject({ ok: false, error: { kind: 'memory' }, ms: 0 });
  });

  it('may not sleep in too many places', async () => {
    const script = 'await Promise.all(Array.from({ length: 101 }, () => sleep(1)));';
    expect(await errorOf(script)).toMatchObject({ kind: 'thrown' });
  });

  it('names the line of a syntax error', async () => {
    expect(await errorOf('const ok = 1;\nlet x = ;')).toMatchObject({ line: 2 });
  });
});
