const EXCERPT_LENGTH = 100;
/** Of an article that may be long, as much as surely holds the excerpt. */
const LOOKED_AT = 1_000;

/** The beginning of an article as one line, without the marks of headings, and its title once more. */
export function excerptOf({ title, content }: { title: string; content: string }): string {
  const lines = content
    .slice(0, LOOKED_AT)
    .split('\n')
    .map((line) => line.replace(/^#+\s+/, '').trim())
    .filter((line) => line !== '');
  const isTitle = lines[0]?.toLowerCase() === title.trim().toLowerCase();
  const text = (isTitle ? lines.slice(1) : lines).join(' ').replace(/\s+/g, ' ');
  const characters = [...text];
  if (characters.length <= EXCERPT_LENGTH) return text;
  return `${characters.slice(0, EXCERPT_LENGTH).join('').trimEnd()}…`;
}

type Searched = { title: string; tags: readonly string[] };

/** Those whose title or one of whose tags contains the words, in whatever case. */
export function matchingArticles<A extends Searched>(articles: readonly A[], words: string): A[] {
  const wanted = words.trim().toLocaleLowerCase();
  const contains = (text: string) => text.toLocaleLowerCase().includes(wanted);
  return articles.filter(({ title, tags }) => contains(title) || tags.some(contains));
}
