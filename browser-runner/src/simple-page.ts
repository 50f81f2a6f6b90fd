import type { ServerResponse } from 'node:http';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escaped = (text: string) => text.replace(/[&<>]/g, (char) => ENTITIES[char] ?? '');

/** A generated page that shows a text with its line breaks. */
export function simplePage(title: string, text: string): string {
  return (
    `<!doctype html><meta charset="utf-8"><title>${escaped(title)}</title>` +
    `<main style="font-family: sans-serif"><h1>${escaped(title)}</h1>` +
    `<p style="white-space: pre-wrap">${escaped(text)}</p></main>`
  );
}

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
