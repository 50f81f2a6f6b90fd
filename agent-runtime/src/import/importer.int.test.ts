import { deflateSync } from 'node:zlib';
import { caseRuns } from '@tallyhand/test-kit/cases';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packedStream, pdfOf, pdfOfContents, pdfOfObjectStream } from './fixtures/pdf.ts';
import { testImporter } from './fixtures/test-importer.ts';
import { docxOf, paragraph } from './fixtures/zip.ts';
import { ImportRefused } from './import-refused.ts';
import type { Importer } from './importer.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe('importFile', () => {
  it('reads each kind of file in a thread', async () => {
    await using importer = testImporter();
    const page = bytesOf('<!doctype html><h1>Page</h1>');
    const files = [
      { name: 'a.md', bytes: bytesOf('# Mark') },
      { name: 'a.txt', bytes: bytesOf('Words') },
      { name: 'a.html', type: 'text/html; charset=utf-8', bytes: page },
      { name: 'a.docx', bytes: docxOf(paragraph('Word', 'Heading1')) },
      { name: 'a.pdf', bytes: await pdfOf((document) => document.text('Printed')) },
    ];
    const read = await Promise.all(
      files.map((file) => importer.importFile({ organizationId: 'one', ...file })),
    );
    expect(read.map(({ kind, title, markdown }) => [kind, title, markdown])).toEqual([
      ['markdown', 'Mark', '# Mark'],
      ['text', 'a', 'Words'],
      ['html', 'Page', '# Page'],
      ['docx', 'Word', '# Word'],
      ['pdf', 'a', 'Printed'],
    ]);
  });

  it('does not change the given bytes', async () => {
    await using importer = testImporter();
    const bytes = await pdfOf((document) => document.text('Printed'));
    const before = Buffer.from(bytes);
    await importer.importFile({ organizationId: 'one', name: 'a.pdf', bytes });
    expect(bytes.equals(before)).toBe(true);
  });

  it('refuses a file above the limit without a thread', async () => {
    await using importer = testImporter({ thread: new URL('file:///nowhere') });
    const attempt = importer.importFile({
      organizationId: 'one',
      name: 'a.txt',
      bytes: new Uint8Array(10_000_001),
    });
    await expect(attempt).rejects.toMatchObject({
      code: 'too-large',
      sentence: 'The file has 10.1 MB; at most 10 MB are accepted.',
    });
  });

  it('reports the length of a text that is too long', async () => {
    await using importer = testImporter();
    const attempt = importer.importFile({
      organizationId: 'one',
      name: 'a.txt',
      bytes: bytesOf('a'.repeat(400_001)),
    });
    await expect(attempt).rejects.toMatchObject({
      name: 'ImportRefused',
      code: 'too-long',
      sentence: 'The text has 400,001 characters; at most 400,000 are accepted.',
    });
  });

  const spaces = (count: number) => Buffer.alloc(count, ' ');
  const packed = (...parts: (string | Buffer)[]) =>
    deflateSync(Buffer.concat(parts.map((part) => Buffer.from(part))), { level: 1 });
  const root = '<< /Type /Catalog /Pages 2 0 R >>';

  it.each([
    ['a page', (size: number) => pdfOfContents(packedStream(packed(spaces(size))))],
    [
      'an object stream',
      (size: number) => pdfOfObjectStream(packed('1 0 ', spaces(size), root), size + 4),
    ],
  ])('ends a PDF of which %s unpacks to far more than it should', async (_name, pdf) => {
    await using importer = testImporter();
    const read = (size: number) =>
      importer.importFile({
        organizationId: 'one',
        name: 'a.pdf',
        bytes: pdf(size),
        limits: { memoryMbMax: 96 },
      });
    await expect(read(10)).rejects.toMatchObject({ code: 'no-text' });
    await expect(read(250_000_000)).rejects.toMatchObject({ code: 'bomb' });
  });

  // Reading such a file leaves unhandled rejections.
  it('reads or refuses a PDF of which bytes were changed or cut off', async () => {
    await using importer = testImporter();
    const file = await pdfOf((document) => document.text('Some words').addPage().text('More'));
    const withoutCount = [file.indexOf('/Count'), 0] as const;
    const withoutPage = [file.indexOf('11 0 obj'), 40] as const;
    const property = fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { maxLength: 8 }),
      fc.double({ min: 0.2, max: 1, noNaN: true }),
      async (changes, share) => {
        const bytes = Buffer.from(file);
        for (const [at, byte] of changes) bytes[at] = byte;
        const cut = bytes.subarray(0, Math.ceil(bytes.length * share));
        const ended = importer
          .importFile({ organizationId: 'one', name: 'a.pdf', bytes: cut })
          .catch(asRefusal);
        expect(await ended).toBeDefined();
      },
    );
    await fc.assert(property, {
      ...caseRuns(6, 40),
      examples: [[[[...withoutCount], [...withoutPage]], 1]],
    });
  });
});

function asRefusal(error: unknown) {
  if (!(error instanceof ImportRefused)) throw error;
  return error;
}

const thread = new URL('./fixtures/misbehaving.worker.ts', import.meta.url);

/** Memory that the thread shares with the test: started, may continue, alive. */
function sharedBytes() {
  const bytes = new Uint8Array(new SharedArrayBuffer(12));
  const numbers = new Int32Array(bytes.buffer);
  return {
    bytes,
    hasStarted: () => Atomics.load(numbers, 0) > 0,
    async started() {
      await Atomics.waitAsync(numbers, 0, 0).value;
    },
    goOn() {
      Atomics.store(numbers, 1, 1);
      Atomics.notify(numbers, 1);
    },
    alive: () => Atomics.load(numbers, 2),
  };
}

function start(
  importer: Importer,
  name: string,
  more: { signal?: AbortSignal; organizationId?: string } = {},
) {
  const shared = sharedBytes();
  const result = importer.importFile({ organizationId: 'one', name, bytes: shared.bytes, ...more });
  // The expected failures are checked later.
  result.catch(() => undefined);
  return { ...shared, result };
}

describe('a thread that misbehaves', () => {
  it('is ended after its time, and the next one works', async () => {
    await using importer = testImporter({ thread });
    const { bytes, alive } = sharedBytes();
    const limits = { timeoutMsMax: 1_000 };
    const attempt = importer.importFile({ organizationId: 'one', name: 'loops', bytes, limits });
    await expect(attempt).rejects.toMatchObject({
      code: 'timeout',
      sentence: 'Reading the file took longer than 1 second.',
    });
    const last = alive();
    await expect(start(importer, 'good').result).resolves.toMatchObject({ title: 'good' });
    expect(alive()).toBe(last);
  });

  it.each(['hoards numbers', 'hoards buffers'])('is ended when it %s', async (name) => {
    await using importer = testImporter({ thread });
    const { bytes } = sharedBytes();
    const attempt = importer.importFile({
      organizationId: 'one',
      name,
      bytes,
      limits: { memoryMbMax: 64 },
    });
    await expect(attempt).rejects.toMatchObject({ code: 'bomb' });
  });

  it.each([
    ['throws', 'a bug of the worker'],
    ['leaves', 'The import thread ended without an answer.'],
  ])('is a fault when it %s', async (name, message) => {
    await using importer = testImporter({ thread });
    await expect(start(importer, name).result).rejects.toThrow(message);
    await expect(start(importer, 'good').result).resolves.toMatchObject({ title: 'good' });
  });
});

describe('threads', () => {
  it('are two at once, and the files come in order', async () => {
    await using importer = testImporter({ thread });
    const files = [1, 2, 3, 4].map(() => start(importer, 'waits'));
    const [first, second, third, fourth] = files;
    await Promise.all([first?.started(), second?.started()]);
    expect(files.map((file) => file.hasStarted())).toEqual([true, true, false, false]);
    second?.goOn();
    await third?.started();
    expect(fourth?.hasStarted()).toBe(false);
    for (const file of files) file.goOn();
    await Promise.all(files.map((file) => file.result));
  });

  it('read the file of another organization while one floods', async () => {
    await using importer = testImporter({ thread, concurrencyPerOrganization: 1 });
    const flood = Array.from({ length: 16 }, () => start(importer, 'waits'));
    const other = start(importer, 'good', { organizationId: 'other' });
    await expect(other.result).resolves.toMatchObject({ title: 'good' });
    expect(flood.slice(1).some((file) => file.hasStarted())).toBe(false);
  });

  it('are refused when too many of the organization wait', async () => {
    await using importer = testImporter({ thread, waitingPerOrganizationMax: 3 });
    const files = Array.from({ length: 5 }, () => start(importer, 'waits'));
    const asked = { organizationId: 'one', name: 'good', bytes: sharedBytes().bytes };
    const code = 'organization-queue-full';
    expect(await importer.tryImportFile(asked)).toMatchObject({ code });
    expect(files).toHaveLength(5);
  });

  it('end when their file is no longer wanted, and so does waiting', async () => {
    await using importer = testImporter({ thread });
    const caller = new AbortController();
    const two = [1, 2].map(() => start(importer, 'loops', { signal: caller.signal }));
    const waiting = start(importer, 'good', { signal: caller.signal });
    await Promise.all(two.map((one) => one.started()));
    caller.abort(new Error('no caller waits'));
    for (const { result } of [...two, waiting]) {
      await expect(result).rejects.toThrow('no caller waits');
    }
    expect(waiting.hasStarted()).toBe(false);
    await expect(start(importer, 'good').result).resolves.toMatchObject({ title: 'good' });
  });

  it('end with the importer, and so does waiting', async () => {
    const importer = testImporter({ thread });
    const files = [1, 2, 3].map(() => start(importer, 'loops'));
    await Promise.all(files.slice(0, 2).map((one) => one.started()));
    await importer[Symbol.asyncDispose]();
    const last = files.map((file) => file.alive());
    for (const { result } of files) await expect(result).rejects.toThrow('has been stopped');
    await expect(start(importer, 'good').result).rejects.toThrow('has been stopped');
    expect(files.map((file) => file.alive())).toEqual(last);
  });
});
