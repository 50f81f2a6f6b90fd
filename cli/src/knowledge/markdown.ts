import { parseDocument } from 'yaml';

/** What an article is made from. */
export type Markdown = { readonly title: string; readonly content: string };

const TITLE_MIN = 3;
const TITLE_MAX = 200;
const FRONT = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/**
 * Title and text of a Markdown file: the title of its front matter, else its first heading, else
 * its name. Null if the file is not UTF-8.
 */
export function readMarkdown(path: string, bytes: Uint8Array): Markdown | null {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
  const [all = '', front = ''] = FRONT.exec(text) ?? [];
  const content = text.slice(all.length).trim();
  const name = path.replace(/^.*\//, '').replace(/\.[^.]+$/, '');
  const title = titleIn(front) || firstHeading(content) || name;
  return { title: [...title].slice(0, TITLE_MAX).join('').trim().padEnd(TITLE_MIN, '.'), content };
}

function titleIn(front: string): string {
  const document = parseDocument(front);
  const title = document.errors.length === 0 && document.contents ? document.toJS()?.title : '';
  return typeof title === 'string' ? title.trim() : '';
}

/** Outside of code. */
function firstHeading(content: string): string {
  let fence = '';
  for (const line of content.split('\n')) {
    const [, mark = ''] = /^ {0,3}(```+|~~~+)/.exec(line) ?? [];
    if (mark && !fence) fence = mark;
    else if (mark.startsWith(fence)) fence = '';
    const [, heading = ''] = /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?\s*$/.exec(line) ?? [];
    const plain = heading.replace(/[*_`]|\[([^\]]*)\]\([^)]*\)/g, '$1').trim();
    if (!fence && plain) return plain;
  }
  return '';
}
