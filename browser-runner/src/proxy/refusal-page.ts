import type { ServerResponse } from 'node:http';
import { simplePage } from '../simple-page.ts';

/** Answers with a small page that gives the reason. */
export function refuse(response: ServerResponse, status: number, sentence: string): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(simplePage('This page was not loaded', sentence));
}
