/** A passage that an answer rests on. */
type Source = {
  articleId: string;
  articleVersion: number;
  articleTitle: string;
  ordinal: number;
  quote: string;
};

/** Passages, each with its article. */
export function SourceList({
  title,
  level: Heading = 'h3',
  sources,
}: {
  title: string;
  /** The level in the order of the page's headings. */
  level?: 'h2' | 'h3';
  sources: readonly Source[];
}) {
  return (
    <div>
      <Heading className="font-medium">{title}</Heading>
      <ol className="mt-2 flex flex-col gap-3">
        {sources.map((source) => (
          <li key={`${source.articleId}.${source.articleVersion}.${source.ordinal}`}>
            <p className="text-xs font-medium text-muted">{source.articleTitle}</p>
            <blockquote className="mt-1 border-l-2 border-line pl-3 break-words whitespace-pre-line text-muted">
              {source.quote}
            </blockquote>
          </li>
        ))}
      </ol>
    </div>
  );
}
