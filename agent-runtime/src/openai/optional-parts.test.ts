import { describe, expect, it } from 'vitest';
import { loadOpenAi } from './library.ts';
import { type OptionalPart, OptionalParts } from './optional-parts.ts';

const { APIError } = await loadOpenAi();

const refusal = (message: string, status = 400) =>
  APIError.generate(status, { error: { message } }, undefined, new Headers());

/** An endpoint that refuses some parts, and the parts of each request that it received. */
function endpoint(refused: readonly OptionalPart[], message: (part: OptionalPart) => string) {
  const received: OptionalPart[][] = [];
  return {
    received,
    async request(parts: ReadonlySet<OptionalPart>) {
      received.push([...parts]);
      const bad = refused.find((part) => parts.has(part));
      if (bad) throw refusal(message(bad));
      return 'answered';
    },
  };
}

const all = () => true;

describe('OptionalParts', () => {
  it('leaves out the part that the refusal names', async () => {
    const { request, received } = endpoint(['choice'], () => 'Unsupported value: tool_choice');
    await new OptionalParts().send(['usage', 'schema', 'choice'], all, request);
    expect(received).toEqual([
      ['usage', 'schema', 'choice'],
      ['usage', 'schema'],
    ]);
  });

  it('leaves out one part after the other where none is named', async () => {
    const { request, received } = endpoint(['choice'], () => 'Bad request');
    await new OptionalParts().send(['choice', 'schema'], all, request);
    expect(received).toEqual([['choice', 'schema'], ['choice'], []]);
  });

  it('remembers only the part without which the request was accepted', async () => {
    const { request, received } = endpoint(['choice'], () => 'Bad request');
    const parts = new OptionalParts();
    await parts.send(['choice', 'schema'], all, request);
    await parts.send(['choice', 'schema'], all, request);
    expect(received.at(-1)).toEqual(['schema']);
  });

  it('asks for a refused part again after half an hour', async () => {
    let now = 0;
    const { request, received } = endpoint(['schema'], () => 'response_format');
    const parts = new OptionalParts(() => now);
    await parts.send(['schema'], all, request);
    now = 1_799_999;
    await parts.send(['schema'], all, request);
    expect(received.at(-1)).toEqual([]);
    now = 1_800_000;
    expect(parts.isRefused('schema')).toBe(false);
    await parts.send(['schema'], all, request);
    expect(received).toEqual([['schema'], [], [], ['schema'], []]);
  });

  it('does not remember what only this request was refused for', async () => {
    const { request, received } = endpoint(['tools'], () => 'Invalid schema of tools');
    const parts = new OptionalParts();
    for (let times = 0; times < 2; times += 1) {
      await parts.send(['tools'], (part) => part !== 'tools', request);
    }
    expect(received).toEqual([['tools'], [], ['tools'], []]);
  });

  it.each([
    ['is too long', refusal('context_length_exceeded')],
    ['is not authorized', refusal('tools', 401)],
    ['fails', refusal('temperature', 500)],
  ])('gives up at once when the request %s', async (_, error) => {
    let requests = 0;
    const request = async () => {
      requests += 1;
      throw error;
    };
    await expect(new OptionalParts().send(['tools', 'schema'], all, request)).rejects.toBe(error);
    expect(requests).toBe(1);
  });
});
