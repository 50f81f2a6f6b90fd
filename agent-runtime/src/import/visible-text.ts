import { cleanText } from '../openai/clean-text.ts';

const lineEnds = /\r\n?|[\u0085\u2028\u2029\f\v]/g;

/** Invisible characters, besides those of cleanText, that text does not need. */
const shapeless = /\u034f|\u115f|\u1160|\u17b4|\u17b5|\u180e|\u3164|\uffa0|[\u{e0100}-\u{e01ef}]/gu;

const joiners = /\u200c[\u200c\u200d]*|\u200d[\u200c\u200d]*/g;
const beforeJoiner =
  /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f|(?!\p{scx=Latin}|\p{scx=Greek}|\p{scx=Cyrillic})(?:\p{L}|\p{M}))$/u;

const selectorRuns = /([\ufe00-\ufe0f])[\ufe00-\ufe0f]+/g;

/** The visible text: line ends are `\n`, control and invisible characters are removed. */
export function visibleText(text: string): string {
  const lines = text
    .replace(lineEnds, '\n')
    .replace(shapeless, '')
    .replace(selectorRuns, '$1')
    .replace(joiners, usedJoiner);
  return cleanText(lines, Number.POSITIVE_INFINITY);
}

/**
 * One joiner has a meaning after letters of joining scripts, and within emoji. Elsewhere joiners
 * are invisible, and a row of them can carry a message.
 */
function usedJoiner(run: string, at: number, text: string): string {
  return beforeJoiner.test(text.slice(Math.max(0, at - 2), at)) ? run.slice(0, 1) : '';
}

/**
 * Escapes text for Markdown. Only real marks are escaped, because articles are also searched and
 * quoted in this form.
 */
export function escapeInline(text: string): string {
  return text
    .replace(/\\(?=[!-/:-@[-`{-~])/g, '\\\\')
    .replace(/[*`]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/\](?=[(:[])/g, '\\]')
    .replace(/<(?=[a-z/!?])/gi, '\\<')
    .replace(/&(?=#?\w{1,32};)/g, '\\&');
}

/** The same for text at the start of a line. */
export function escapeText(text: string): string {
  return escapeInline(text)
    .replace(/^(?:#{1,6}(?=\s|$)|[-+](?=\s|$)|>|=+\s*$|-{2,}\s*$|~~~)/, '\\$&')
    .replace(/^(\d{1,9})(?=[.)](?:\s|$))/, '$1\\');
}
