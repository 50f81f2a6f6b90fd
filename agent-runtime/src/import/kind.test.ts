import { describe, expect, it } from 'vitest';
import { docxOf, sourceOf, zipOf } from './fixtures/zip.ts';
import { kindOf } from './kind.ts';

const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const docx = docxOf('');
const page = ' <!-- saved --> <!DOCTYPE html><p>x';
const kind = (content: string | Uint8Array, name = '', type = '') =>
  kindOf(sourceOf(content, { name, type }));

describe('the kind of a file', () => {
  it.each([
    ['%PDF-1.7\n', 'pdf'],
    ['junk\n%PDF-1.7\n', 'pdf'],
    [page, 'html'],
    ['\ufeff<?xml version="1.0"?>\n<html xmlns="x">', 'html'],
    ['Just words', 'text'],
  ])('shows in content as %j', (content, expected) => {
    expect(kind(content)).toBe(expected);
  });

  it('shows in the parts of an archive', () => {
    expect(kind(docx)).toBe('docx');
    expect(kind(docx, 'upload.bin', 'application/octet-stream')).toBe('docx');
    expect(kind(docx, 'a.DOCX', word)).toBe('docx');
  });

  it('shows in UTF-16 too', () => {
    expect(kind(Buffer.from(`\ufeff${page}`, 'utf16le'))).toBe('html');
    expect(kind(Buffer.from('\ufeff# Words', 'utf16le'), 'a.md')).toBe('markdown');
  });

  it.each([
    ['a.md', '', 'markdown'],
    ['A.MARKDOWN', 'application/octet-stream', 'markdown'],
    ['a.md', 'text/plain', 'markdown'],
    ['a.txt', '', 'text'],
    ['a.html', 'text/plain', 'html'],
    ['', 'text/html', 'html'],
    ['page.php', 'text/html', 'html'],
    ['notes', 'text/markdown', 'markdown'],
    ['Notes of 1.5', '', 'text'],
  ])('of text is recognized by name %j and type %j', (name, type, expected) => {
    expect(kind('Some words', name, type)).toBe(expected);
  });

  it.each([
    ['a PDF that is called Markdown', '%PDF-1.7', 'a.md', ''],
    ['a PDF that is sent as HTML', '%PDF-1.7', 'a.pdf', 'text/html'],
    ['a page that is called text', page, 'a.txt', ''],
    ['text that is called a PDF', 'words', 'a.pdf', ''],
    ['text that is sent as a Word document', 'words', 'a', word],
    ['a Word document that is called a PDF', docx, 'a.pdf', ''],
  ])('is refused for %s', (_name, content, name, type) => {
    expect(() => kind(content, name, type)).toThrow(
      /The file is called .*, but its content is not/,
    );
  });

  it('is refused when name and type contradict each other', () => {
    expect(() => kind('words', 'a.md', 'text/html')).toThrow('contradict each other');
  });

  it.each([
    ['an image', Buffer.from('89504e470d0a1a0a0000000d49484452000000', 'hex'), 'a.png'],
    ['noise that is called text', Buffer.from('0001020304050607'.repeat(9), 'hex'), 'a.txt'],
    ['a table of another program', 'a,b\n1,2', 'a.csv'],
    ['data', '{"a": 1}', ''],
    ['rich text', '{\\rtf1 words}', 'a.txt'],
    ['another archive', zipOf([{ name: 'xl/workbook.xml', content: 'x' }]), 'a.xlsx'],
    ['an old Word document', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'a.doc'],
  ])('is refused for %s', (_name, content, name) => {
    const type = name === '' ? 'application/json' : '';
    expect(() => kind(content, name, type)).toThrow(
      expect.objectContaining({ name: 'ImportRefused', code: 'unknown-kind' }),
    );
  });

  it('is refused as encrypted for a Word document with a password', () => {
    const bytes = Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ]);
    expect(() => kind(bytes, 'a.docx')).toThrow(expect.objectContaining({ code: 'encrypted' }));
  });
});
