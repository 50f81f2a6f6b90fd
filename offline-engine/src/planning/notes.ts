/** Literal words of a page, and what they stand under. */
export type Finding = { about: string; quote: string; url: string | null };
export type Found = Omit<Finding, 'url'>;

const NOTE_LENGTH_MAX = 2_000;
const ABOUT_LENGTH_MAX = 160;
const QUOTE_LENGTH_MAX = 500;

/** The note that keeps these findings, one on each line. */
export function noteOf(findings: readonly Found[]): string {
  let note = '';
  for (const { about, quote } of findings) {
    const shown = oneLine(quote).slice(0, QUOTE_LENGTH_MAX);
    const line = `${oneLine(about).slice(0, ABOUT_LENGTH_MAX)}: “${shown}”`;
    if (note.length + line.length + 1 > NOTE_LENGTH_MAX) break;
    note += note === '' ? line : `\n${line}`;
  }
  return note;
}

/** The findings of a note. A note in another form is one finding. */
export function findingsIn({ text, url }: { text: string; url: string | null }): Finding[] {
  return text.split('\n').map((line) => {
    const [, about = '', quote = line] = /^(.*?): “(.*)”$/s.exec(line) ?? [];
    return { about, quote, url };
  });
}

export const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
