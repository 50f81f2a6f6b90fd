import type { ReadDocument } from './imported.ts';
import { visibleText } from './visible-text.ts';

const frontMatterLengthMax = 20_000;

/** Front matter is for site generators; only its title means something here. */
export function readMarkdown(text: string): ReadDocument {
  const visible = visibleText(text);
  const front = frontMatterOf(visible);
  if (!front) return { title: '', markdown: visible, warnings: [] };
  return { title: titleIn(front), markdown: visible.slice(front.length).trim(), warnings: [] };
}

/** The block between two lines of `---` (YAML) or `+++` (TOML) at the very start. */
function frontMatterOf(text: string): string {
  const head = text.slice(0, frontMatterLengthMax);
  const found =
    /^---[ \t]*\n(?:[\s\S]*?\n)??(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(head) ??
    /^\+\+\+[ \t]*\n(?:[\s\S]*?\n)??\+\+\+[ \t]*(?:\n|$)/.exec(head);
  const block = found?.[0] ?? '';
  // Text between two rules has no keys.
  return /^[\w"'-]+[ \t]*[:=]/m.test(block) ? block : '';
}

function titleIn(front: string): string {
  const value = /^title[ \t]*[:=][ \t]*(.+)$/im.exec(front)?.[1]?.trim() ?? '';
  const quoted = /^(["'])(.*)\1$/.exec(value);
  if (!quoted) return /^[|>]/.test(value) ? '' : value.replace(/\s+#.*$/, '');
  const inner = quoted[2] ?? '';
  return quoted[1] === '"' ? inner.replace(/\\(["\\])/g, '$1') : inner.replaceAll("''", "'");
}
