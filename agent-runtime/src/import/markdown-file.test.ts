import { describe, expect, it } from 'vitest';
import { readMarkdown } from './read-source.ts';

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
