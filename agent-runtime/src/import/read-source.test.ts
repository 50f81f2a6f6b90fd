import { EncodingGuessed } from '@tallyhand/contracts/features/knowledge/import-warnings';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pdfOf } from './fixtures/pdf.ts';
import { docxOf, item, paragraph, sourceOf, table } from './fixtures/zip.ts';
import { ImportRefused } from './import-refused.ts';
import { importLimits } from './imported.ts';
import { chosenTitle, firstHeading, readMarkdown, readSource } from './read-source.ts';

const read = (content: string | Uint8Array, name: string, titleOtherwise = 'file') =>
  readSource(sourceOf(content, { name, titleOtherwise }), importLimits);

describe('the title', () => {
  it.each([
    ['of Markdown is the one in front matter', '---\ntitle: Front\n---\n# Head', 'a.md', 'Front'],
    ['of Markdown is the first heading', 'x\n\n# Head', 'a.md', 'Head'],
    ['of HTML is the first heading', '<title>Doc</title><h2>Head</h2>', 'a.html', 'Head'],
    ['of HTML is its title', '<title>Doc &amp; \u202e\n x</title><p>x', 'a.html', 'Doc & x'],
    ['of text is the name', 'Some words', 'a.txt', 'file'],
  ])('%s', async (_name, content, name, title) => {
    expect((await read(content, name)).title).toBe(title);
  });

  it("of a Word document is its first heading, otherwise the document's title", async () => {
    const own = { title: 'Own' };
    const headed = docxOf(paragraph('x') + paragraph('Head', 'Heading2'), own);
    expect((await read(headed, 'a.docx')).title).toBe('Head');
    expect((await read(docxOf(paragraph('x'), own), 'a.docx')).title).toBe('Own');
  });

  it.each([
    ['Own title', 'Own title'],
    ['Microsoft Word - draft.doc', 'file'],
    ['final.docx', 'file'],
    ['', 'file'],
  ])('of a PDF is its title %j if a person wrote it', async (own, title) => {
    const bytes = await pdfOf((document) => document.text('x'), { info: { Title: own } });
    expect((await read(bytes, 'a.pdf')).title).toBe(title);
  });
});

describe('a file', () => {
  it('reports a guessed encoding', async () => {
    const { markdown, warnings } = await read(Buffer.from('caf\u00e9', 'latin1'), 'a.txt');
    expect({ markdown, warnings }).toEqual({
      markdown: 'café',
      warnings: [EncodingGuessed({ encoding: 'windows-1252' })],
    });
  });

  it('is read in the charset that its page declares', async () => {
    const page = Buffer.concat([
      Buffer.from('<meta charset=windows-1251><p>'),
      Buffer.from([0xcf, 0xf0, 0xe8]),
    ]);
    expect((await read(page, 'a.html')).markdown).toBe('При');
  });

  it.each([
    ['', 'a.txt'],
    [' \n\u200b\u202e', 'a.txt'],
    ['---\ntitle: x\n---\n', 'a.md'],
    ['<!doctype html><script>x</script>', 'a.html'],
    ['<img src=x>***', 'a.html'],
  ])('without text is refused: %j', async (content, name) => {
    await expect(read(content, name)).rejects.toMatchObject({ code: 'no-text' });
  });
});

/** Any outcome is fine but a fault. */
async function check(content: string | Uint8Array, name: string): Promise<void> {
  const outcome = await read(content, name).catch((error: unknown) => error);
  if (outcome instanceof ImportRefused) return;
  if (outcome instanceof Error) throw outcome;
  expect(outcome).toMatchObject({ title: expect.stringMatching(/^.{1,200}$/u) });
}

describe('hostile bytes', () => {
  const names = fc.constantFrom('a.md', 'a.txt', 'a.html', 'a.pdf', 'a.docx', '');

  it('at random are read or refused', async () => {
    const bytes = fc.uint8Array({ maxLength: 2_000 });
    await fc.assert(fc.asyncProperty(bytes, names, check), { numRuns: 300 });
  });

  it('after a true beginning are read or refused', async () => {
    const start = fc.constantFrom('%PDF-1.7\n', 'PK\u0003\u0004word/document', '<!doctype html>');
    const property = fc.asyncProperty(start, fc.uint8Array({ maxLength: 500 }), (head, tail) =>
      check(Buffer.concat([Buffer.from(head), tail]), ''),
    );
    await fc.assert(property, { numRuns: 150 });
  });

  it('of markup are read or refused', async () => {
    const piece = fc.constantFrom(
      ...'<table> <tr> <td> </td> </table> <ul> <li> </ul> <ol> <p> </p> <b> </b> <a> </a> <pre>'.split(
        ' ',
      ),
      ...'</pre> <code> <h1> </h1> <br> <main> </main> <svg> <template> <form> <select> x | ` '.split(
        ' ',
      ),
      '<a href="/x">',
      '<td rowspan=3 colspan=2>',
      '<img alt=y>',
      '<!--',
      '-->',
      '\n',
    );
    const pages = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(pages, (page) => check(page, 'a.html')),
      { numRuns: 300 },
    );
  });

  it('of a true file, changed or cut off, are read or refused', async () => {
    const table1 = table([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    const file = docxOf(paragraph('Head', 'Heading1') + item('x') + table1);
    const property = fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }),
      fc.double({ min: 0.2, max: 1, noNaN: true }),
      async (changes, share) => {
        const bytes = Buffer.from(file);
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        await check(bytes.subarray(0, Math.ceil(bytes.length * share)), '');
      },
    );
    await fc.assert(property, { numRuns: 150 });
  });
});

describe('front matter', () => {
  it.each([
    ['---\ntitle: Returns\ntags: [a]\n---\n\n# Text', 'Returns'],
    ['---\r\nlayout: x\r\ntitle: "Say \\"yes\\""\r\n---\r\n# Text', 'Say "yes"'],
    ["---\nTitle: 'It''s'\n...\n# Text", "It's"],
    ['+++\ntitle = "In TOML"\n+++\n# Text', 'In TOML'],
    ['---\nlayout: x\n---\n# Text', ''],
    ['---\ntitle: >\n  folded\n---\n# Text', ''],
  ])('is removed from %j', (text, title) => {
    expect(readMarkdown(text)).toMatchObject({ title, markdown: '# Text' });
  });

  it.each([
    '---\n\nText between rules\n\n---',
    '---\ntitle: never closed',
    '# Text\n---\na: b\n---',
  ])('is not seen in %j', (text) => {
    expect(readMarkdown(text)).toEqual({ title: '', markdown: text, warnings: [] });
  });
});

describe('firstHeading', () => {
  it.each([
    ['words\n\n## Second *kind* of `heading` ##\n# Next', 'Second kind of heading'],
    ['Title\n=====\n\nwords', 'Title'],
    ['Title\n---', 'Title'],
    ['```\n# code\n```\n# Text', 'Text'],
    ['````\n```\n# code\n````\n# Text', 'Text'],
    ['# [A link](https://example.com/a_b) and snake_case\\_', 'A link and snake_case_'],
    ['- item\n---\n\n#hashtag', ''],
    ['one line\nanother\n---', ''],
    ['', ''],
  ])('of %j', (markdown, heading) => {
    expect(firstHeading(markdown)).toBe(heading);
  });
});

describe('chosenTitle', () => {
  it('is the first that is not empty, on one line', () => {
    expect(chosenTitle('', ' \n ', 'two\n  lines', 'other')).toBe('two lines');
    expect(chosenTitle('', '')).toBe('Untitled');
  });

  it('has at most 200 characters', () => {
    expect(chosenTitle('a'.repeat(200))).toBe('a'.repeat(200));
    expect(chosenTitle('a'.repeat(201))).toBe(`${'a'.repeat(199)}…`);
  });
});
