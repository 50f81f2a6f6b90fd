type Searched = { title: string; tags: readonly string[] };

/** Those whose title or one of whose tags contains the words, in whatever case. */
export function matchingArticles<A extends Searched>(articles: readonly A[], words: string): A[] {
  const wanted = words.trim().toLocaleLowerCase();
  const contains = (text: string) => text.toLocaleLowerCase().includes(wanted);
  return articles.filter(({ title, tags }) => contains(title) || tags.some(contains));
}
