import { useEffect } from 'react';
import { useTitle } from '../../app/use-title.ts';

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
