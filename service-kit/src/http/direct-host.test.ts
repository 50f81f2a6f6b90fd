import { describe, expect, it } from 'vitest';
import { hasDirectHost } from './server.ts';

describe('a Host', () => {
  it.each([
    '127.0.0.1',
    '127.0.0.1:8080',
    '[::1]',
    '[::1]:9090',
    '10.1.2.3:9090',
    'localhost',
    'LOCALHOST:8080',
    'command-service-1:9090',
    'query_service:9090',
  ])('is direct when public DNS cannot resolve it: %s', (host) => {
    expect(hasDirectHost({ headers: { host } })).toBe(true);
  });

  it.each([
    'rebound.example',
    'rebound.example:8080',
    'localhost.',
    'localhost.rebound.example',
    '127.0.0.1.rebound.example',
    '127.0.0.1.',
    'a@127.0.0.1',
    '[::1',
    '::1',
    '',
    ' ',
    ':80',
    '[rebound.example]',
    '127.0.0.1:80:80',
    'localhost/',
    'm\u00fcller',
  ])('is not direct when public DNS could: %s', (host) => {
    expect(hasDirectHost({ headers: { host } })).toBe(false);
  });

  it('is not direct when it is missing', () => {
    expect(hasDirectHost({ headers: {} })).toBe(false);
  });
});
