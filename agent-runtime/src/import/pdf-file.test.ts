import { PagesEmpty } from '@tallyhand/contracts/features/knowledge/import-warnings';
import { describe, expect, it } from 'vitest';
import { pdfOf, pdfOfObjects } from './fixtures/pdf.ts';
import { readPdf } from './pdf-file.ts';

const limits = { charactersMax: 400_000, pagesMax: 500 };
const read = (bytes: Uint8Array, more = {}) => readPdf(bytes, { ...limits, ...more });
const sentence =
  'The parcel is sent back within thirty days and nobody asks for any reason at all. ';

describe('a PDF', () => {
  it('returns its paragraphs, headings by font size, and lists', async () => {
    const bytes = await pdfOf(
      (document) => {
        document.fontSize(24).text('Returns').moveDown();
        document.fontSize(12).text(sentence.repeat(3).trim()).moveDown();
        document.text('Another paragraph.').moveDown();
        document.fontSize(16).text('Exceptions').moveDown();
        document.fontSize(12).text('• Food').text('• Flowers').moveDown();
        document.text('# no heading, <b>').moveDown();
        document.text('A word that is inter-').text('rupted.');
      },
      { info: { Title: 'All about returns' } },
    );
    expect(await read(bytes)).toEqual({
      title: 'All about returns',
      markdown: [
        '# Returns',
        sentence.repeat(3).trim(),
        'Another paragraph.',
        '## Exceptions',
        '- Food\n- Flowers',
        '\\# no heading, \\<b>',
        'A word that is interrupted.',
      ].join('\n\n'),
      warnings: [],
    });
  });

  it('joins a sentence across pages, without headers and footers', async () => {
    const bytes = await pdfOf((document) => {
      for (const [at, text] of ['A sentence that', 'goes on here.', 'Another one.'].entries()) {
        if (at > 0) document.addPage();
        document
          .text('Tallyhand manual')
          .moveDown(3)
          .text(text)
          .moveDown(3)
          .text(`Page ${at + 1}`);
      }
    });
    expect((await read(bytes)).markdown).toBe('A sentence that goes on here.\n\nAnother one.');
  });

  it('reports pages without text', async () => {
    const bytes = await pdfOf((document) => document.text('Words').addPage().addPage());
    expect((await read(bytes)).warnings).toEqual([PagesEmpty({ count: 2 })]);
  });

  it('is refused when it seems to be scanned', async () => {
    const bytes = await pdfOf((document) => document.rect(9, 9, 99, 99).fill('red'));
    await expect(read(bytes)).rejects.toMatchObject({
      code: 'no-text',
      sentence: 'The PDF holds no text: it seems to be scanned, or to hold only pictures.',
    });
  });

  it('is refused when it has a password', async () => {
    const bytes = await pdfOf((document) => document.text('x'), { userPassword: 'secret' });
    await expect(read(bytes)).rejects.toMatchObject({
      code: 'encrypted',
      sentence: 'The PDF is protected by a password.',
    });
  });

  it('is read when the password only restricts its use', async () => {
    const bytes = await pdfOf((document) => document.text('Words'), { ownerPassword: 'secret' });
    expect((await read(bytes)).markdown).toBe('Words');
  });

  it('is refused when it has too many pages', async () => {
    const bytes = await pdfOf((document) => document.addPage().addPage().text('x'));
    await expect(read(bytes, { pagesMax: 2 })).rejects.toMatchObject({
      code: 'too-long',
      sentence: 'The PDF has 3 pages; at most 2 are accepted.',
    });
  });

  it('is refused when its text is too long', async () => {
    const bytes = await pdfOf((document) => document.text(sentence.repeat(20)));
    await expect(read(bytes, { charactersMax: 1_000 })).rejects.toMatchObject({
      code: 'too-long',
      sentence: expect.stringMatching(/^The text has 1,6\d\d characters; at most 1,000 are/),
    });
  });

  it.each([
    ['claims more pages than there are', '<< /Type /Pages /Kids [] /Count 400 >>'],
    ['has pages that are their own parents', '<< /Type /Pages /Kids [2 0 R] /Count 1 >>'],
    ['has no pages', '<< >>'],
  ])('is refused when it %s', async (_name, pages) => {
    const bytes = pdfOfObjects(['<< /Type /Catalog /Pages 2 0 R >>', pages]);
    await expect(read(bytes)).rejects.toMatchObject({ name: 'ImportRefused' });
  });

  it('is refused when it is cut off', async () => {
    const bytes = await pdfOf((document) => document.text('x'));
    await expect(read(bytes.subarray(0, 300))).rejects.toMatchObject({ code: 'broken-file' });
  });
});
