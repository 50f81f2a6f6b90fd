import { cut } from './cut.ts';

/** The address of a page that the agent saw, which leads there; `label` is read aloud. */
export function PageAddress({ label, url, max }: { label: string; url: string; max?: number }) {
  const shown = max === undefined ? url : cut(url, max);
  const isOnTheWeb = /^https?:\/\//i.test(url);
  const name = (
    <>
      <span className="sr-only">{label}: </span>
      {shown}
    </>
  );
  return (
    <span className="block truncate font-mono text-xs text-muted" title={url}>
      {isOnTheWeb ? (
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer nofollow"
          className="rounded-sm underline-offset-4 hover:underline"
        >
          {name}
        </a>
      ) : (
        name
      )}
    </span>
  );
}
