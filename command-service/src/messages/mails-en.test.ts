import { describe, expect, it } from 'vitest';
import { mailsEn } from './mails-en.ts';

describe('the invitation mail', () => {
  it('names the role in words, never by its code', () => {
    const { paragraphs } = mailsEn.invitation({
      organization: 'Harbour Goods',
      role: 'AgentManager',
      lastDay: null,
      message: null,
      url: 'https://example.com/auth?invite=1',
      days: 7,
    });
    expect(paragraphs[0]).toBe(
      'You’ve been invited to join Harbour Goods on Tallyhand as an Agent Manager.',
    );
  });

  it('names the last day of an Auditor', () => {
    const { paragraphs } = mailsEn.invitation({
      organization: 'Harbour Goods',
      role: 'Auditor',
      lastDay: '2027-01-31',
      message: null,
      url: 'https://example.com/auth?invite=1',
      days: 7,
    });
    expect(paragraphs.at(-1)).toBe('You have access until the end of 2027-01-31 (UTC).');
  });
});
