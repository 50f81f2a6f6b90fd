import { describe, expect, it } from 'vitest';
import { OutboundRefused } from '../guard/outbound-errors.ts';
import { OpenApiRefused } from './openapi-schema.ts';
import { readOpenApi } from './openapi-source.ts';

const document = { openapi: '3.1.0', paths: { '/orders': { get: { summary: 'Orders' } } } };
const json = JSON.stringify(document);
const yaml = `openapi: 3.1.0
# Of the shop
paths:
  /orders:
    get:
      summary: Orders
`;
const nowhere = () => Promise.reject(new Error('Nothing is fetched'));
const read = (text: string, max = 10_000) => readOpenApi(text, nowhere, max);

const answering =
  (status: number, text: string, asked: string[] = []) =>
  async (url: string) => {
    asked.push(url);
    return { status, text: async () => text, discard: () => {} };
  };

describe('an OpenAPI document', () => {
  it('is accepted as JSON, unchanged', async () => {
    expect(await read(json)).toBe(json);
    expect(await read(`\ufeff  ${json}`)).toBe(`\ufeff  ${json}`);
  });

  it('is accepted as YAML, and stored as JSON', async () => {
    expect(JSON.parse(await read(yaml))).toEqual(document);
  });

  it('is fetched from an address', async () => {
    const asked: string[] = [];
    const url = ' https://shop.example/openapi.yaml ';
    expect(JSON.parse(await readOpenApi(url, answering(200, yaml, asked), 10_000))).toEqual(
      document,
    );
    expect(asked).toEqual([url.trim()]);
  });

  it.each([
    ['a: [1', 'neither'],
    ['plain words', 'not OpenAPI'],
    ['- a\n- b', 'not OpenAPI'],
    ['swagger: "2.0"', 'not OpenAPI'],
    ['{"openapi": "3.1.0", "paths": {}}', 'no operation'],
    ['{"openapi": ', 'not JSON'],
    ['a: *missing', 'neither'],
  ])('is not %j', async (text, why) => {
    await expect(read(text)).rejects.toThrow(OpenApiRefused);
    await expect(read(text)).rejects.toThrow(why);
  });

  it('does not grow out of a small one', async () => {
    const levels = Array.from({ length: 12 }, (_, at) => {
      const before = at === 0 ? 'x' : `*l${at - 1}`;
      return `l${at}: &l${at} [${Array(9).fill(before).join(', ')}]`;
    });
    await expect(read(levels.join('\n'))).rejects.toThrow(OpenApiRefused);
    await expect(read(json, 10)).rejects.toThrow('more than 10 characters');
  });

  it('is missing when its address has none', async () => {
    const url = 'https://shop.example/openapi.json';
    await expect(readOpenApi(url, answering(404, ''), 10_000)).rejects.toThrow('status 404');
    const closed = () => Promise.reject(new OutboundRefused('private-address', 'Not allowed.'));
    await expect(readOpenApi(url, closed, 10_000)).rejects.toThrow(OpenApiRefused);
  });
});
