import { describe, expect, it } from 'vitest';
import { nextCursor } from './base-query.ts';

describe('the cursor of the page that follows', () => {
  it('is the one of the link that leads on', () => {
    const link = '</api/billing/ledger?limit=50&cursor=WyJhIl0>; rel="next"';
    expect(nextCursor(link)).toBe('WyJhIl0');
  });
  it('is found among other links', () => {
    const link = '</api/x?cursor=a>; rel="prev", </api/x?cursor=b>; rel="next"';
    expect(nextCursor(link)).toBe('b');
  });
  it('is none on the last page', () => {
    expect(nextCursor(null)).toBeUndefined();
    expect(nextCursor('</api/x?cursor=a>; rel="prev"')).toBeUndefined();
  });
});
