import { describe, expect, it } from 'vitest';
import { isWebPath } from './web-assets.ts';

describe('a path of the web app', () => {
  it.each([
    '/',
    '/features',
    '/api',
    '/auth',
    '/dashboard',
    '/team/outbox',
    '/agents/',
    '/Agents',
    '/%61gents',
    '/agent/0190b5a0',
    '/agents/0190b5a0',
    '/agents/0190b5a0/execute',
    '/billing/test-checkout/0190b5a0',
  ])('is known: %s', (path) => {
    expect(isWebPath(path)).toBe(true);
  });

  it.each([
    '/nowhere',
    '/agent',
    '/agent/',
    '/agents/0190b5a0/edit',
    '/agents//execute',
    '/agent/a/b',
    '/v1',
    '/v1/models',
    '/mcp',
    '/dashboard/x',
    '//dashboard',
    '/%zz',
    '',
    'dashboard',
    '/agents/:id/execute/x',
    '/features.html',
    '/dashboard\n',
  ])('is not: %s', (path) => {
    expect(isWebPath(path)).toBe(false);
  });
});
