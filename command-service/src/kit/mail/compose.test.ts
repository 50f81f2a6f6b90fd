import { describe, expect, it } from 'vitest';
import { composeMail } from './compose.ts';

const plain = { subject: 'Hello', paragraphs: ['First.', 'Second.'], footer: 'Why it came.' };

describe('a mail', () => {
  it('has the same content in plain text and in HTML', () => {
    const { text, html } = composeMail({
      ...plain,
      quote: 'Join us\n\nSoon',
      action: { label: 'Open', url: 'https://example.com/a?b=1&c=2' },
    });
    expect(text).toBe(
      [
        'First.',
        'Second.',
        '> Join us\n>\n> Soon',
        'Open:\nhttps://example.com/a?b=1&c=2',
        '-- \nWhy it came.',
      ].join('\n\n'),
    );
    for (const words of ['First.', 'Second.', 'Soon', 'Why it came.']) {
      expect(html).toContain(words);
    }
    expect(html).toContain('<a href="https://example.com/a?b=1&amp;c=2"');
  });

  it("escapes markup in members' text", () => {
    const wrote = `<img src=x onerror="alert('1')">&`;
    const { html } = composeMail({ ...plain, subject: wrote, paragraphs: [wrote], quote: wrote });
    expect(html).not.toContain('<img');
    expect(html).toContain('&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;');
  });

  it('loads nothing from elsewhere', () => {
    const { html } = composeMail(plain);
    expect(html).not.toMatch(/src=|<link|@import|url\(|<script/);
  });

  it('has a subject of one line, whatever names it contains', () => {
    const subject = 'Invitation to A\r\nBcc: all@example.com\u2028\u0000 and B ';
    expect(composeMail({ ...plain, subject }).subject).toBe(
      'Invitation to A Bcc: all@example.com and B',
    );
  });
});
