/**
 * Control characters, zero-width and direction marks and tag characters: they hide text from
 * readers but not from models, or reverse the visible text. Joiners stay: emoji and several scripts
 * need them.
 */
const hidden =
  /[\p{Cc}\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** The text without invisible characters and lone surrogates, cut to `lengthMax` characters. */
export function cleanText(text: string, lengthMax: number): string {
  const visible = text
    .slice(0, lengthMax * 2)
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(hidden, (char) => (char === '\n' || char === '\t' ? char : ''))
    .trim();
  return visible.length <= lengthMax
    ? visible
    : `${visible.slice(0, lengthMax).toWellFormed().trimEnd()}…`;
}

/**
 * Breaks the marks of roles in chat templates of local models, so that text can't speak as the
 * system.
 */
export function defuse(text: string): string {
  return text
    .replace(/<(?=\|)/g, '< ')
    .replace(/\[(?=\/?(?:INST|SYS)\])/g, '[ ')
    .replace(/<(?=\/?(?:s|SYS|start_of_turn|end_of_turn)>)/g, '< ')
    .replace(/<(?=<SYS>)/g, '< ');
}
