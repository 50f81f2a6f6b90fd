const titleLengthMax = 200;

/** The first that is not empty, on one line, of at most 200 characters. */
export function chosenTitle(...candidates: string[]): string {
  const titles = candidates.map((one) => one.replace(/\s+/g, ' ').trim());
  const title = titles.find((one) => one !== '') ?? 'Untitled';
  if (title.length <= titleLengthMax) return title;
  return `${title
    .slice(0, titleLengthMax - 1)
    .toWellFormed()
    .trimEnd()}…`;
}

/** The words of the first heading of a Markdown text, outside of code; empty when it has none. */
export function firstHeading(markdown: string): string {
  const lines = markdown.split('\n');
  let fence = '';
  for (const [at, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (fence !== '') {
      if (mark.startsWith(fence)) fence = '';
      continue;
    }
    if (mark !== '') {
      fence = mark;
      continue;
    }
    const heading = /^ {0,3}#{1,6}[ \t]+(\S.*)$/.exec(line)?.[1]?.replace(/[ \t]#+[ \t]*$/, '');
    const words = plainWords(heading ?? underlined(line, lines[at - 1], lines[at + 1]));
    if (words !== '') return words;
  }
  return '';
}

/** A line of its own with a row of `=` or `-` below it. */
function underlined(line: string, before = '', after = ''): string {
  const isOwnLine = before.trim() === '' && !/^(?: {4}|\s*(?:[-*+>|]|\d+[.)]))/.test(line);
  return isOwnLine && /^ {0,3}(?:=+|-{2,})[ \t]*$/.test(after) ? line : '';
}

function plainWords(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(?<!\\)(?:\*\*|__|[*`])/g, '')
    .replace(/(?<![\\\p{L}\p{N}])_|(?<!\\)_(?![\p{L}\p{N}])/gu, '')
    .replace(/\\([\p{P}\p{S}])/gu, '$1')
    .trim();
}
