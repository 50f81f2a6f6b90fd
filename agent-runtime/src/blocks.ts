/**
 * A paragraph, list, table or fenced code of an article. Blocks of one section share the same
 * `path` array, the titles from the outermost heading to its own.
 */
export type Block = { path: string[]; text: string };

/** A longer line that looks like a heading is text that begins with a mark. */
const headingLengthMax = 160;

type Section = { levels: { level: number; title: string }[]; path: string[]; hasText: boolean };

/** Reads plain text or Markdown line by line. Linear in the length of the content. */
export function blocksOf(content: string): Block[] {
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
  // all the same.
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
