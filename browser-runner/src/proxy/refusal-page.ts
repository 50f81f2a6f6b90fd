import type { ServerResponse } from 'node:http';

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Answers with a small page that says why there is no other. */
export function refuse(response: ServerResponse, status: number, sentence: string): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const text = sentence.replace(/[&<>"]/g, (char) => escapes[char] ?? '');
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(
    `<!doctype html><title>Not loaded</title><h1>This page was not loaded</h1><p>${text}</p>`,
  );
}
