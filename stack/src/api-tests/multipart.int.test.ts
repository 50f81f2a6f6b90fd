import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import {
  importArticle,
  listArticles,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { Problem } from '@tallyhand/contracts/kernel/problem';
import { jsonLog } from '@tallyhand/service-kit/log';
import { type ApiClient, cookieOf, registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

const faults: unknown[] = [];
const log = { ...jsonLog('test', 'silent'), error: (...line: unknown[]) => void faults.push(line) };

let product: OwnProduct;
let client: ApiClient;
beforeAll(async () => {
  product = await startTestProduct({ log });
  ({ client } = await registerOrganization(product.url));
});
afterEach(() => expect(faults).toEqual([]));
afterAll(() => product[Symbol.asyncDispose]());

const cookie = () => cookieOf(client);
const at = () => ({ host: '127.0.0.1', port: Number(new URL(product.url).port) });

/** Sends the given body byte by byte (latin1), with any header: fetch would refuse some. */
async function post(type: string, body: string, headers: Record<string, string> = {}) {
  const sent = Buffer.from(body, 'latin1');
  const asked = request({
    ...at(),
    path: importArticle.path,
    method: 'POST',
    headers: {
      cookie: cookie(),
      'content-type': type,
      'content-length': sent.length,
      ...headers,
    },
  });
  asked.end(sent);
  const [answer] = await once(asked, 'response');
  const parsed = JSON.parse((await buffer(answer)).toString());
  return {
    status: answer.statusCode as number,
    type: answer.headers['content-type'],
    body: parsed,
  };
}

const FORM = 'multipart/form-data; boundary=XX';
const FILE = 'Content-Disposition: form-data; name="file"; filename="a.md"';
const NOTE = 'Content-Disposition: form-data; name="note"';
const TEXT = '# A title\n\nAnd some text.';
const part = (headers = FILE, content = TEXT) => `--XX\r\n${headers}\r\n\r\n${content}\r\n`;
const END = '--XX--\r\n';
const whole = part() + END;
const long = 'x'.repeat(200_000);
const manyHeaders = Array.from({ length: 5_000 }, (_, n) => `X-${n}: ${n}`).join('\r\n');
const boundary = (parameter: string) => `multipart/form-data${parameter}`;
const named = (name: string) => `Content-Disposition: form-data; name="file"; ${name}`;
const nested = `--YY\r\n${FILE}\r\n\r\n${TEXT}\r\n--YY--`;

type Case = readonly [what: string, type: string, body: string];

const malformed: Case[] = [
  ['no boundary', boundary(''), whole],
  ['a semicolon and no boundary', boundary(';'), whole],
  ['a charset and no boundary', boundary('; charset=utf-8'), whole],
  ['no boundary, and megabytes', boundary(''), part(FILE, 'x'.repeat(8_000_000)) + END],
  ['a boundary without a value', boundary('; boundary'), whole],
  ['an empty boundary', boundary('; boundary='), whole],
  ['an empty boundary in quotes', boundary('; boundary=""'), whole],
  ['a blank boundary', boundary('; boundary=" "'), whole],
  ['a quote that is not closed', boundary('; boundary="'), whole],
  ['a boundary that is not ASCII', boundary('; boundary=\u00e9\u00e9'), whole],
  ['an encoded boundary', boundary("; boundary*=utf-8''%ff"), whole],
  ['another boundary than the body has', boundary('; boundary=YY'), whole],
  ['a second boundary that is right', boundary('; boundary=YY; boundary=XX'), whole],
  ['a boundary of 70 characters', boundary(`; boundary=${'a'.repeat(70)}`), whole],
  ['a boundary of 257 characters', boundary(`; boundary=${'a'.repeat(257)}`), whole],
  ['a boundary of 5,000 characters', boundary(`; boundary=${'a'.repeat(5_000)}`), whole],
  ['a line break alone', FORM, '\r\n'],
  ['text alone', FORM, 'hello'],
  ['null characters', FORM, '\0'.repeat(100_000)],
  ['dashes', FORM, '-'.repeat(100_000)],
  ['a delimiter alone', FORM, '--XX'],
  ['a delimiter and nothing after', FORM, '--XX\r\n'],
  ['20,000 delimiters', FORM, '--XX\r\n'.repeat(20_000)],
  ['an end with one dash', FORM, '--XX-'],
  ['no final boundary', FORM, part()],
  ['a final boundary without dashes', FORM, `${part()}--XX\r\n`],
  ['a final boundary with one dash', FORM, `${part()}--XX-`],
  ['a final boundary without a line break before', FORM, whole.replace('\r\n--XX--', '--XX--')],
  ['an end within a header', FORM, `--XX\r\n${FILE.slice(0, -4)}`],
  ['an end after the headers', FORM, `--XX\r\n${FILE}\r\n\r\n`],
  ['an end before the blank line', FORM, `--XX\r\n${FILE}\r\n`],
  ['an end within the file', FORM, part().slice(0, -10)],
  ['a second file without an end', FORM, part() + part()],
  ['5,000 part headers without an end', FORM, part(`${manyHeaders}\r\n${FILE}`)],
  ['line feeds alone', FORM, whole.replaceAll('\r\n', '\n')],
  ['carriage returns alone', FORM, whole.replaceAll('\r\n', '\r')],
  ['a field named __proto__', FORM, part(FILE.replace('"file"', '"__proto__"')) + END],
  ['a field named constructor', FORM, part(NOTE.replace('note', 'constructor')) + END],
  ['a JSON field that is no JSON', FORM, part(`${NOTE}\r\nContent-Type: application/json`) + END],
  ['1,001 fields', FORM, part(NOTE, 'a').repeat(1_001) + END],
];

const withoutFile: Case[] = [
  ['no body', FORM, ''],
  ['no parts', FORM, END],
  ['no parts and no line break', FORM, '--XX--'],
  ['a part without headers', FORM, part('') + END],
  ['a part without a disposition', FORM, part('Content-Type: text/markdown') + END],
  ['a part that is an attachment', FORM, part(FILE.replace('form-data', 'attachment')) + END],
  ['headers without a blank line', FORM, `--XX\r\n${FILE}\r\n${END}`],
  ['a header without a colon', FORM, part(`nonsense\r\n${FILE}`) + END],
  ['a header that is too long', FORM, part(`X: ${long}\r\n${FILE}`) + END],
  ['5,000 part headers before the disposition', FORM, part(`${manyHeaders}\r\n${FILE}`) + END],
  ['two files', FORM, part() + part() + END],
  ['1,001 files', FORM, part().repeat(1_001) + END],
  ['a file of 20 MB', FORM, part(FILE, 'x'.repeat(20_000_000)) + END],
];

const withField: Case[] = [
  ['a field', FORM, part(NOTE, 'a') + END],
  ['a field beside the file', FORM, part(NOTE, 'a') + part() + END],
  ['a field in an unknown charset', FORM, part(`${NOTE}\r\nContent-Type: a/b; charset=c`) + END],
  ['parts within a part', FORM, part(`${NOTE}\r\nContent-Type: multipart/mixed`, nested) + END],
];

/** Odd, but unambiguous. */
const accepted: Case[] = [
  ['upper case', 'Multipart/Form-Data; BOUNDARY=XX', whole],
  ['a quote that is not closed', boundary('; boundary="XX'), whole],
  ['an unknown charset of the boundary', boundary("; boundary*=nonsense''XX"), whole],
  ['text before and after', FORM, `before\r\n${whole}${long}`],
  ['two ends', FORM, whole + END],
  ['5,000 part headers after the disposition', FORM, part(`${FILE}\r\n${manyHeaders}`) + END],
  ['an unknown charset', FORM, part(`${FILE}\r\nContent-Type: text/plain; charset=none`) + END],
  ['an unknown encoding', FORM, part(`${FILE}\r\nContent-Transfer-Encoding: none`) + END],
  ['an empty file name', FORM, part(named('filename=""'), 'Only text') + END],
  ['a null character in the name', FORM, part(named('filename="a\0b.md"'), 'Only text') + END],
  ['a name that leads elsewhere', FORM, part(named('filename="../../a.md"')) + END],
  ['a name that is too long', FORM, part(named(`filename="${'x'.repeat(50_000)}.md"`)) + END],
  ['a name in broken UTF-8', FORM, part(named("filename*=utf-8''%ff%zz.md"), 'Only text') + END],
];

const otherTypes: Case[] = [
  ['multipart/mixed', 'multipart/mixed; boundary=XX', whole],
  ['multipart/form-datax', 'multipart/form-datax; boundary=XX', whole],
  ['multipart without a kind', 'multipart', whole],
];

function expectProblem({ status, type, body }: Awaited<ReturnType<typeof post>>) {
  expect(type).toContain('application/problem+json');
  expect(Problem.parse(body).status).toBe(status);
}

describe('an upload', () => {
  it.each(malformed)('that is malformed is refused: %s', async (_, type, body) => {
    const answer = await post(type, body);
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed-request']);
    expectProblem(answer);
  });

  it.each(withoutFile)('without an acceptable file names the file: %s', async (...one) => {
    const answer = await post(one[1], one[2]);
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([422, 'file']);
    expectProblem(answer);
  });

  it.each(withField)('with a field that does not exist names it: %s', async (_, type, body) => {
    const answer = await post(type, body);
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([422, 'note']);
    expectProblem(answer);
  });

  it.each(accepted)('is accepted: %s', async (_, type, body) => {
    const answer = await post(type, body);
    expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
  });

  it.each(otherTypes)('of another type is refused: %s', async (_, type, body) => {
    const answer = await post(type, body);
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported-media-type']);
  });

  it.each(['gzip', 'br', 'deflate', 'x-none', 'gzip, gzip', 'identity, gzip'])(
    'with the encoding %s is refused',
    async (encoding) => {
      const answer = await post(FORM, whole, { 'content-encoding': encoding });
      expect([answer.status, answer.body.code]).toEqual([415, 'unsupported-content-encoding']);
      expectProblem(answer);
    },
  );

  it('may say that it is not encoded', async () => {
    expect((await post(FORM, whole, { 'content-encoding': 'identity' })).status).toBe(201);
  });
});

describe('an upload of another length than declared', () => {
  // These tests count articles: in an organization where no other test writes.
  let counting: ApiClient;
  beforeAll(async () => {
    counting = (await registerOrganization(product.url)).client;
  });

  /** Sends these bytes, hangs up if they are everything, and reads the answer. */
  async function sendRaw(headers: readonly string[], body: string, hangsUp: boolean) {
    const socket = connect(at());
    const head = [
      `POST ${importArticle.path} HTTP/1.1`,
      'Host: 127.0.0.1',
      'Connection: close',
      `Cookie: ${cookieOf(counting)}`,
      `Content-Type: ${FORM}`,
      ...headers,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1');
    if (hangsUp) socket.end();
    return text(socket);
  }

  const chunked = 'Transfer-Encoding: chunked';
  const chunk = (bytes: string) => `${bytes.length.toString(16)}\r\n${bytes}\r\n`;
  const articles = async () => (await counting.call<unknown[]>(listArticles)).body.length;

  it.each<[string, string[], string]>([
    ['the body', [`Content-Length: ${whole.length + 50}`], whole],
    ['the file', [`Content-Length: ${whole.length}`], whole.slice(0, 90)],
    ['the chunks', [chunked], chunk(whole)],
    ['a chunk', [chunked], `fff\r\n${whole}`],
  ])('makes no article and no fault where %s ends early', async (_, headers, body) => {
    const before = await articles();
    expect(await sendRaw(headers, body, true)).toMatch(/^(HTTP\/1\.1 400 |$)/);
    expect(await articles()).toBe(before);
  });

  it.each<[string, string[], string]>([
    ['is too small', [`Content-Length: ${whole.length - 20}`], whole],
    ['is negative', ['Content-Length: -1'], whole],
    ['is no number', ['Content-Length: many'], whole],
    ['is there twice', ['Content-Length: 5', `Content-Length: ${whole.length}`], whole],
    ['is said beside chunks', [chunked, 'Content-Length: 5'], `${chunk(whole)}0\r\n\r\n`],
    ['of a chunk is no number', [chunked], `zz\r\n${whole}`],
  ])('is refused where the length %s', async (_, headers, body) => {
    expect(await sendRaw(headers, body, false)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('is accepted in chunks', async () => {
    const before = await articles();
    const answer = await sendRaw([chunked], `${chunk(whole)}0\r\n\r\n`, false);
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    await expect.poll(articles).toBe(before + 1);
  });
});
