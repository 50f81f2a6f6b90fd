import { type ReactNode, useEffect } from 'react';
import { useTitle } from '../../app/use-title.ts';
import { usePlaceOfPage } from '../../ui/link.tsx';

type PublicTitleProps = {
  title: string;
  /** Below the title, and what search engines say of the page. */
  description: string;
  /** Where the browser's tab says something else. */
  tab?: string;
  children?: ReactNode;
};

/** The head of a public page: it names the page, and begins at its top. */
export function PublicTitle({ title, description, tab = title, children }: PublicTitleProps) {
  usePageHead({ title: tab, description });
  usePlace();
  return (
    <div className="mx-auto w-full max-w-[1200px] px-6 pt-12 sm:pt-16">
      <h1 className="max-w-[24ch] text-2xl font-semibold tracking-tight text-balance sm:text-4xl">
        {title}
      </h1>
      <p className="mt-4 max-w-[60ch] text-base text-muted sm:text-lg">{description}</p>
      {children}
    </div>
  );
}

type PageHead = { title: string; description: string };

const inHead = <E extends Element>(selector: string) => document.head.querySelector<E>(selector);

/** What the browser's tab, search engines and previews say of a public page. */
export function usePageHead({ title, description }: PageHead) {
  useTitle(title);
  useEffect(() => {
    const meta = inHead<HTMLMetaElement>('meta[name="description"]');
    const before = meta?.content ?? '';
    if (meta) meta.content = description;
    // Pages behind the sign-in have none: it goes with its page.
    const link = inHead<HTMLLinkElement>('link[rel="canonical"]') ?? document.createElement('link');
    link.rel = 'canonical';
    link.href = `${window.location.origin}${window.location.pathname}`;
    document.head.append(link);
    return () => {
      link.remove();
      if (meta) meta.content = before;
    };
  }, [description]);
}

/** A page that comes by a link is shown from its top, or from the place that the link names. */
export function usePlace() {
  const { pathname, hash } = usePlaceOfPage();
  const place = `${pathname}${hash}`;
  useEffect(() => {
    const [, name] = place.split('#');
    const named = name ? document.getElementById(decodeURIComponent(name)) : null;
    if (named) named.scrollIntoView();
    else if (!name) window.scrollTo(0, 0);
  }, [place]);
}
