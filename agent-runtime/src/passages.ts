import { type Block, blocksOf } from './blocks.ts';
import { sentenceSpans } from './sentences.ts';

export type PassageText = { ordinal: number; heading: string | null; text: string };

const paragraphBreak = '\n\n';
const lengthWanted = 600;
const lengthFull = 900;
/** Articles of up to this many passages keep each short section as a passage of its own. */
const passagesUnmerged = 200;

type Piece = { path: string[]; text: string };

/**
 * Cuts an article (plain text or Markdown, any language) into passages of about 600 to 900
 * characters, at paragraphs and sentences; none exceeds 1,500. No text is lost but white space and
 * heading marks: a heading stands in `heading`, as its path ("Returns > Exceptions"), or in the
 * text where it has no text of its own. The same article always gives the same passages.
 */
export function splitIntoPassages(article: { title: string; content: string }): PassageText[] {
  const pieces: Piece[] = [];
  let open: Piece | null = null;
  for (const block of blocksOf(article.content)) {
    for (const text of textsOf(block)) {
      if (open && fits(open, block, text)) {
        open.text += `${paragraphBreak}${text}`;
      } else {
        open = { path: block.path, text };
        pieces.push(open);
      }
    }
  }
  return mergedWhenMany(pieces, article.content.length).map((piece, ordinal) => ({
    ordinal,
    heading: headingOf(piece.path, article.title),
    text: piece.text,
  }));
}

function fits(open: Piece, block: Block, text: string): boolean {
  if (open.path !== block.path) return false;
  if (open.text.length >= lengthWanted && text.length > lengthFull / 4) return false;
  return open.text.length + paragraphBreak.length + text.length <= lengthFull;
}

/** The block itself, or its sentences packed together; these are never longer than a passage. */
function textsOf(block: Block): string[] {
  if (block.text.length <= lengthFull) return [block.text];
  const texts: string[] = [];
  let start = 0;
  let end = 0;
  for (const span of sentenceSpans(block.text)) {
    if (end > start && span.end - start > lengthFull) {
      texts.push(block.text.slice(start, end));
      start = span.start;
    } else if (end === 0) {
      start = span.start;
    }
    end = span.end;
  }
  if (end > start) texts.push(block.text.slice(start, end));
  return texts;
}

/**
 * An article of thousands of tiny sections would become thousands of rows: then neighbours share a
 * passage, and the later one's heading goes into the text.
 */
function mergedWhenMany(pieces: Piece[], contentLength: number): Piece[] {
  if (pieces.length <= Math.max(passagesUnmerged, contentLength / (lengthWanted / 2)))
    return pieces;
  const merged: Piece[] = [];
  let last: Piece | undefined;
  for (const piece of pieces) {
    const own = last && last.path !== piece.path ? (piece.path.at(-1) ?? '') : '';
    const text = own === '' ? piece.text : `${own}\n\n${piece.text}`;
    if (last && last.text.length + 2 + text.length <= lengthFull) {
      last.text += `\n\n${text}`;
    } else {
      last = { ...piece };
      merged.push(last);
    }
  }
  return merged;
}

function headingOf(path: string[], title: string): string | null {
  // Most Markdown articles repeat their title as the first heading: the reader has it already.
  const own = path[0]?.trim().toLowerCase() === title.trim().toLowerCase() ? path.slice(1) : path;
  return own.length === 0 ? null : own.join(' > ');
}
