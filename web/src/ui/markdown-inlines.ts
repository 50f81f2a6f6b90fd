/** A piece of a line of Markdown. */
export type Inline =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'strong' | 'emphasis'; inlines: Inline[] }
  | { kind: 'link'; href: string; inlines: Inline[] };

/**
 * Every alternative ends at the next mark of its own kind, so that the time grows with the length
 * of the text and no faster.
 */
const MARKS = new RegExp(
  [
    /\\(?<escaped>[\\`*_{}[\]()#+\-.!>|~])/,
    /`(?<code>[^`]+)`/,
    /!?\[(?<label>[^[\]]*)\]\((?<target>(?:[^()\s]|\([^()\s]*\))*)(?: "[^"()]*")?\)/,
    /<(?<pointed>(?:https?:\/\/|mailto:)[^\s<>]+)>/,
    /\*\*(?<strong>[^*]+(?:\*[^*]+\*[^*]*){0,4})\*\*/,
    /(?<!\w)__(?<strong2>[^_]+)__(?!\w)/,
    /\*(?<emphasis>[^*\s][^*]*)\*/,
    /(?<!\w)_(?<emphasis2>[^_\s][^_]*)_(?!\w)/,
    /(?<address>https?:\/\/[^\s<>()[\]]*[^\s<>()[\].,;:!?'"*_])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** Only what opens a page or a letter; scripts and the like stay text. */
const isSafe = (target: string) => /^(https?:\/\/|mailto:)/i.test(target);

/** The pieces of a text; what is not understood stays as it was written, HTML too. */
export function inlinesOf(text: string): Inline[] {
  const inlines: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(MARKS)) {
    if (match.index > end) inlines.push({ kind: 'text', text: text.slice(end, match.index) });
    inlines.push(inlineOf(match[0], match.groups ?? {}));
    end = match.index + match[0].length;
  }
  if (end < text.length) inlines.push({ kind: 'text', text: text.slice(end) });
  return inlines;
}

function inlineOf(whole: string, found: Readonly<Record<string, string | undefined>>): Inline {
  const { escaped, code, label, target = '', address } = found;
  const strong = found.strong ?? found.strong2;
  const emphasis = found.emphasis ?? found.emphasis2;
  if (escaped !== undefined) return { kind: 'text', text: escaped };
  if (code !== undefined) return { kind: 'code', text: code };
  if (strong !== undefined) return { kind: 'strong', inlines: inlinesOf(strong) };
  if (emphasis !== undefined) return { kind: 'emphasis', inlines: inlinesOf(emphasis) };
  const shown = address ?? found.pointed;
  if (shown !== undefined) return linkTo(shown, textOf(shown.replace(/^mailto:/, '')));
  if (!isSafe(target)) return { kind: 'text', text: whole };
  return linkTo(target, label ? withoutLinks(inlinesOf(label)) : textOf(target));
}

const textOf = (text: string): Inline[] => [{ kind: 'text', text }];

const linkTo = (href: string, inlines: Inline[]): Inline => ({ kind: 'link', href, inlines });

/** A link within a link is no link. */
const withoutLinks = (inlines: Inline[]): Inline[] =>
  inlines.flatMap((inline) => (inline.kind === 'link' ? inline.inlines : [inline]));
