import { describe, expect, it } from 'vitest';
import { securityTxt } from './web-assets.ts';

const publicUrl = 'https://tallyhand.example/';
const now = new Date('2026-11-23T17:45:12.345Z');

describe('/.well-known/security.txt', () => {
  it('names the contact page where the operator chose no contact', () => {
    expect(securityTxt({ publicUrl }, now)).toBe(
      [
        'Contact: https://tallyhand.example/contact?category=technical',
        'Expires: 2027-05-22T00:00:00Z',
        'Preferred-Languages: en',
        'Canonical: https://tallyhand.example/.well-known/security.txt',
        'Policy: https://tallyhand.example/security#report',
        '',
      ].join('\n'),
    );
  });

  it.each([
    ['security@example.com', 'mailto:security@example.com'],
    ['mailto:security@example.com', 'mailto:security@example.com'],
    ['https://example.com/report', 'https://example.com/report'],
  ])('has %s as %s', (contact, uri) => {
    expect(securityTxt({ publicUrl, contact }, now)).toContain(`Contact: ${uri}\n`);
  });
});
