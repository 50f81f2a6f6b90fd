/**
 * The end of a line that was full: it is long, or it stops within a sentence, as the first line of a
 * quote does that begins in the middle of a line. Items of lists and rows of tables stay.
 */
const BROKEN_LINE =
  /(?:(?<=^.{60,})\n(?=[^\s\-*+\u2022|>#\d])|(?<=^.{19,}[\p{L}\p{N},])\n(?=\p{Ll}|\d(?!\d?[.)]\s)))/gmu;

/** A text whose sentences continue where its lines were full. */
export const withoutBrokenLines = (text: string) => text.replace(BROKEN_LINE, ' ');
