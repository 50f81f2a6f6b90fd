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
