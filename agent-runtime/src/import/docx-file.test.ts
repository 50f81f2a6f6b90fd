import { describe, expect, it } from 'vitest';
import { readDocx } from './docx-file.ts';
import { docxOf, item, link, paragraph, table, zipOf } from './fixtures/zip.ts';

const read = (bytes: Uint8Array) => readDocx(bytes, { charactersMax: 400_000 });
const damaged = {
  name: 'ImportRefused',
  code: 'broken-file',
  sentence: 'The Word document is damaged and could not be read.',
};

describe('a Word document', () => {
  it('keeps headings, lists, tables and links', async () => {
    const body = [
      paragraph('Returns', 'Heading1'),
      paragraph('Within 30 days &amp; unused.'),
      paragraph('Exceptions', 'Heading2'),
      item('Food'),
      item('Fresh', false, 1),
      item('Flowers'),
      item('Pack', true),
      item('Send', true),
      table([
        ['Country', 'Days'],
        ['France', '5'],
      ]),
      link('Our shop'),
    ];
    expect(await read(docxOf(body.join(''), { title: 'R &amp; D' }))).toEqual({
      title: 'R & D',
      markdown: [
        '# Returns',
        'Within 30 days & unused.',
        '## Exceptions',
        '- Food\n  - Fresh\n- Flowers',
        '1. Pack\n2. Send',
        '| Country | Days |\n| --- | --- |\n| France | 5 |',
        '[Our shop](https://example.com/)',
      ].join('\n\n'),
      warnings: [],
    });
  });

  it('keeps text that looks like markup as text', async () => {
    const { markdown } = await read(docxOf(paragraph('&lt;script&gt; # *x*')));
    expect(markdown).toBe('\\<script> # \\*x\\*');
  });

  it('has no links that run something', async () => {
    const { markdown } = await read(docxOf(link('x'), { linkTo: 'javascript:alert(1)' }));
    expect(markdown).toBe('x');
  });

  it('is damaged when its end is missing', async () => {
    const bytes = docxOf(paragraph('x'));
    await expect(read(bytes.subarray(0, bytes.length - 30))).rejects.toMatchObject(damaged);
  });

  it.each([
    ['no document in it', zipOf([{ name: 'word/document.txt', content: 'x' }])],
    ['broken XML in it', docxOf('<w:p>')],
    ['contents that nest too deeply', docxOf('<w:p>'.repeat(50_000))],
  ])('is damaged when it has %s', async (_name, bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({ name: 'ImportRefused' });
  });

  it('reads no entities that expand', async () => {
    const entities = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>';
    const content = `${entities}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${paragraph('&b;')}</w:body></w:document>`;
    const attempt = read(zipOf([{ name: 'word/document.xml', content }]));
    const markdown = await attempt.then(
      (document) => document.markdown,
      () => '',
    );
    expect(markdown).not.toContain('aaaa');
  });
});

describe('an archive that is a bomb', () => {
  const zeros = Buffer.alloc(10_000_000);

  it.each([
    ['shrinks too much', [{ name: 'word/document.xml', content: zeros }]],
    [
      'has too much in all',
      [
        { name: 'word/document.xml', content: 'x' },
        { name: 'word/b.xml', content: 'x', declaredSize: 4_000_000_000 },
      ],
    ],
    [
      'has too many parts',
      Array.from({ length: 3_001 }, (_, at) => ({ name: `word/document${at}`, content: '' })),
    ],
    ['says that it is small', [{ name: 'word/document.xml', content: zeros, declaredSize: 1_000 }]],
  ])('is refused when it %s', async (_name, parts) => {
    await expect(read(zipOf(parts))).rejects.toMatchObject({
      name: 'ImportRefused',
      code: 'bomb',
      sentence: expect.stringContaining('was not opened'),
    });
  });

  it('is distinguished from one with a password', async () => {
    const bytes = zipOf([{ name: 'word/document.xml', content: 'x', isEncrypted: true }]);
    await expect(read(bytes)).rejects.toMatchObject({ code: 'encrypted' });
  });
});
