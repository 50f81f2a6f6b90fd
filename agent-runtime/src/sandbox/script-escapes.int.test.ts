import { afterAll, describe, expect, it } from 'vitest';
import { runScript, testPool } from './fixtures/run-script.ts';

const pool = testPool();
afterAll(() => pool.dispose());

describe('a script that wants out', () => {
  it('has nothing but the language and its input', async () => {
    const script = `
      const seen = new Set(Object.getOwnPropertyNames(globalThis));
      const machine = ['process', 'require', 'module', 'Buffer', 'global', 'setTimeout',
        'setInterval', 'WebAssembly', 'Worker', 'XMLHttpRequest', 'WebSocket', 'std', 'os',
        'scriptArgs', 'print', 'Deno', 'navigator', 'performance'];
      const ours = ['input', 'secrets', 'fetch', 'sleep', 'console', 'btoa', 'atob',
        'basicAuth', 'hmac'];
      return [machine.filter((name) => seen.has(name)), ours.filter((name) => !seen.has(name))];`;
    expect(await runScript(pool, script)).toMatchObject({ ok: true, value: [[], []] });
  });

  it.concurrent.each([
    'return globalThis.constructor.constructor("return typeof process + typeof require")();',
    'return fetch.constructor("return typeof process + typeof require")();',
    'return console.log.constructor("return typeof process + typeof require")();',
    'return (0, eval)("typeof process + typeof require");',
    'const F = Object.getPrototypeOf(async () => {}).constructor;' +
      'return await F("return typeof process + typeof require")();',
    'try { fetch(Symbol()); } catch {} try { await fetch(Symbol()); } catch (error) {' +
      'return error.constructor.constructor("return typeof process + typeof require")(); }',
    'try { await fetch("https://x.example"); } catch (error) {' +
      'return error.constructor.constructor("return typeof process + typeof require")(); }',
  ])('finds no machine through constructors: %s', async (script) => {
    expect(await runScript(pool, script)).toMatchObject({
      ok: true,
      value: 'undefinedundefined',
    });
  });

  it.concurrent.each([
    'node:fs',
    'fs',
    './script.worker.ts',
    'std',
    'os',
    'data:text/javascript,1',
  ])('can import no module: %s', async (name) => {
    expect(await runScript(pool, `return await import('${name}');`)).toMatchObject({
      ok: false,
      error: { kind: 'thrown' },
    });
  });

  it('changes prototypes for itself only', async () => {
    const script = `
      Object.prototype.polluted = 'yes';
      Object.prototype.toString = () => 'changed';
      Array.prototype.map = JSON.stringify = JSON.parse = () => { throw 1; };
      Promise.prototype.then = () => 'changed';
      const made = JSON.parse === JSON.stringify;
      return { made, ['__proto__']: { admin: true }, constructor: { prototype: { admin: true } } };`;
    const result = await runScript(pool, script);
    expect(result).toMatchObject({ ok: true, value: { made: true } });
    expect('polluted' in {}).toBe(false);
    expect('admin' in {}).toBe(false);
    const next = 'return [typeof {}.polluted, String({}), JSON.stringify([1].map(String))];';
    expect(await runScript(pool, next)).toMatchObject({
      value: ['undefined', '[object Object]', '["1"]'],
    });
  });

  it('leaves nothing for the next run', async () => {
    await runScript(pool, 'globalThis.kept = secrets.token; return 1;', {
      secrets: { token: 'left-behind' },
    });
    expect(await runScript(pool, 'return [typeof kept, secrets, input];')).toMatchObject({
      value: ['undefined', {}, null],
    });
  });

  it('sees a copy of the input', async () => {
    const input = { list: [1] };
    await runScript(pool, 'input.list.push(2); delete input.list; return 1;', { input });
    expect(input).toEqual({ list: [1] });
  });

  it('can close the function body around it, and is still in the sandbox', async () => {
    expect(await runScript(pool, '}); ({ escaped: typeof process')).toMatchObject({
      ok: false,
    });
    const script = 'return 1 }); (async () => { return typeof process';
    expect(await runScript(pool, script)).toMatchObject({ ok: true, value: 'undefined' });
  });
});
