import { describe, expect, it } from 'vitest';
import { notificationSentence } from './notifications-en.ts';

const dropped = (params: Record<string, string>) =>
  notificationSentence({ kind: 'tool-credentials-dropped', params });

describe('the sentence about dropped credentials', () => {
  it('asks for another sign-in where the authorization server ended the last one', () => {
    const reason = 'refused';
    expect(dropped({ reason, toolName: 'Warehouse' })).toBe(
      'Warehouse is no longer signed in at its server. Sign in again.',
    );
    expect(dropped({ reason })).toMatch(/^A tool is no longer signed in/);
  });

  it('asks for the credentials where a change removed them', () => {
    expect(dropped({ reason: 'changed', toolName: 'Warehouse' })).toContain('Enter them again');
  });
});
