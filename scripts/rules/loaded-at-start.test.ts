import { expect, it } from 'vitest';
import { root } from '../prepare.js';
import { loadedWith } from './imports.js';

const loaded = loadedWith(root, 'stack/src/application.main.ts');

it.each([
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server',
  'imapflow',
  'mailparser',
  'nodemailer',
  'openai',
  'pdfkit',
  'pkijs',
  'sharp',
  'stripe',
  'woff2-encoder',
])('the application loads %s when it is first used, not at the start', (name) => {
  expect(loaded.has(name)).toBe(false);
});

it('finds what the application does load', () => {
  for (const one of ['fastify', 'pg', 'command-service/src/start.ts']) {
    expect(loaded.has(one)).toBe(true);
  }
});
