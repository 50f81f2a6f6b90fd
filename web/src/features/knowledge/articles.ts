const EXCERPT_LENGTH = 100;
/** Of an article that may be long, as much as surely holds the excerpt. */
const LOOKED_AT = 1_000;

const HEADING = /^#+\s+/;

const isSame = (line: string | undefined, title: string) =>
  line?.replace(HEADING, '').toLowerCase() === title.trim().toLowerCase();

/** The beginning of an article as one line: its text, or its headings if it has nothing else. */
export function excerptOf({ title, content }: { title: string; content: string }): string {
  const all = content
    .slice(0, LOOKED_AT)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const lines = isSame(all[0], title) ? all.slice(1) : all;
  const prose = lines.filter((line) => !HEADING.test(line));
  const shown = prose.length > 0 ? prose : lines.map((line) => line.replace(HEADING, ''));
  const text = shown.join(' ').replace(/\s+/g, ' ');
  const characters = [...text];
  if (characters.length <= EXCERPT_LENGTH) return text;
  return `${characters.slice(0, EXCERPT_LENGTH).join('').trimEnd()}…`;
}

/** The text below its title, which a page shows above it, without the same heading once more. */
export function withoutTitle({ title, content }: { title: string; content: string }): string {
  const [first, ...rest] = content.trimStart().split('\n');
  return HEADING.test(first ?? '') && isSame(first?.trim(), title) ? rest.join('\n') : content;
}

type Searched = { title: string; tags: readonly string[] };

/** Those whose title or one of whose tags contains the words, in whatever case. */
export function matchingArticles<A extends Searched>(articles: readonly A[], words: string): A[] {
  const wanted = words.trim().toLocaleLowerCase();
  const contains = (text: string) => text.toLocaleLowerCase().includes(wanted);
  return articles.filter(({ title, tags }) => contains(title) || tags.some(contains));
}
