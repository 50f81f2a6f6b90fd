const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escaped = (text: string) => text.replace(/[&<>]/g, (char) => ENTITIES[char] ?? '');

/** A page of our own making that shows a text, its lines as they are. */
export function simplePage(title: string, text: string): string {
  return (
    `<!doctype html><meta charset="utf-8"><title>${escaped(title)}</title>` +
    `<main style="font-family: sans-serif"><h1>${escaped(title)}</h1>` +
    `<p style="white-space: pre-wrap">${escaped(text)}</p></main>`
  );
}
