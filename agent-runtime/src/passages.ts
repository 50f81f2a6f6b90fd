import { sentenceSpans } from './sentences.ts';

export type PassageText = { ordinal: number; heading: string | null; text: string };

const paragraphBreak = '\n\n';
const lengthWanted = 600;
const lengthFull = 900;
/** Articles of up to this many passages keep each short section as a separate passage. */
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

/**
 * A paragraph, list, table or fenced code of an article. Blocks of one section share the same
 * `path` array, the titles from the outermost heading to its own.
 */
type Block = { path: string[]; text: string };

/** A longer line that looks like a heading is text that begins with a mark. */
const headingLengthMax = 160;

type Section = { levels: { level: number; title: string }[]; path: string[]; hasText: boolean };

/** Reads plain text or Markdown line by line. Linear in the length of the content. */
function blocksOf(content: string): Block[] {
  const lines = content.replace(/\r\n?/g, '\n').split('\n');
  const blocks: Block[] = [];
  let section: Section = { levels: [], path: [], hasText: true };
  let paragraph: string[] = [];
  let fence: string | null = null;

  const flush = () => {
    const text = paragraph.join('\n').trim();
    paragraph = [];
    if (text === '') return;
    section.hasText = true;
    blocks.push({ path: section.path, text });
  };
  const enter = (level: number, title: string) => {
    flush();
    keepHeadingWithoutText(blocks, section, level);
    const levels = [...section.levels.filter((outer) => outer.level < level), { level, title }];
    section = { levels, path: levels.map((one) => one.title), hasText: false };
  };

  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] as string;
    const mark: string | undefined = /^ {0,3}(```|~~~)/.exec(line)?.[1];
    if (mark && (fence === null || fence === mark)) fence = fence === null ? mark : null;
    const heading = fence === null ? headingAt(lines, at, paragraph.length === 0) : null;
    if (heading) {
      enter(heading.level, heading.title);
      at += heading.lines - 1;
    } else if (line.trim() === '' && fence === null) {
      flush();
    } else {
      paragraph.push(line);
    }
  }
  flush();
  keepHeadingWithoutText(blocks, section, 0);
  return blocks;
}

/**
 * A heading without text stands in the path of the headings below it; where none is below it, it
 * becomes a block itself.
 */
function keepHeadingWithoutText(blocks: Block[], section: Section, nextLevel: number): void {
  const own = section.levels.at(-1);
  if (section.hasText || !own || own.level < nextLevel) return;
  blocks.push({ path: section.path.slice(0, -1), text: own.title });
}

type Heading = { level: number; title: string; lines: number };

function headingAt(lines: string[], at: number, startsParagraph: boolean): Heading | null {
  const line = lines[at] as string;
  if (line.length > headingLengthMax) return null;
  const next = lines[at + 1] ?? '';
  const marked = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/.exec(line);
  if (marked) {
    const title = (marked[2] as string).replace(/[ \t]+#+[ \t]*$/, '').trim();
    return { level: (marked[1] as string).length, title, lines: 1 };
  }
  if (!startsParagraph || !/[\p{L}\p{N}]/u.test(line)) return null;
  if (/^(=+|-{3,})[ \t]*$/.test(next) && !/^\s*([-*+|>]|\d+[.)])/.test(line)) {
    return { level: next.startsWith('=') ? 1 : 2, title: line.trim(), lines: 2 };
  }
  if (next.trim() !== '') return null;
  const bold = /^\s*\*\*([^*]+)\*\*:?\s*$/.exec(line);
  if (bold) return { level: 6, title: (bold[1] as string).trim(), lines: 1 };
  // Plain text has no marks, but a line of its own in capital letters ("CHAPTER II") is a heading
  // too.
  return isInCapitals(line) ? { level: 1, title: line.trim(), lines: 1 } : null;
}

function isInCapitals(line: string): boolean {
  if (line.length > 80 || line !== line.toUpperCase()) return false;
  return (
    line.toLowerCase() !== line &&
    (line.match(/\p{Lu}/gu)?.length ?? 0) >= 4 &&
    !/[.,;]\s*$/.test(line)
  );
}
