import { type ReactNode, useEffect, useState } from 'react';

type ContentsProps = {
  title: string;
  sections: readonly { readonly id: string; readonly title: string }[];
  /** Above the list. */
  children?: ReactNode;
};

/** The sections of a page, and the one that is being read. Beside the page where it is wide. */
export function Contents({ title, sections, children }: ContentsProps) {
  const current = useSectionInView(sections.map(({ id }) => id));
  return (
    <nav
      aria-label={title}
      className="text-sm md:sticky md:top-20 md:max-h-[calc(100dvh-6rem)] md:self-start md:overflow-y-auto"
    >
      {children}
      {sections.length > 0 && <h2 className="font-semibold">{title}</h2>}
      <ul className="mt-2 gap-x-6 max-md:columns-2 md:border-l md:border-line">
        {sections.map(({ id, title: name }) => (
          <li key={id} className="break-inside-avoid">
            <a
              href={`#${id}`}
              aria-current={id === current ? 'location' : undefined}
              className="inline-block rounded-sm py-1 text-muted hover:text-text md:-ml-px md:border-l-2 md:border-transparent md:pl-3 md:aria-[current]:border-accent md:aria-[current]:text-text"
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** A section counts as read from where the header ends to the middle of the window. */
const MARGIN = '-80px 0px -50% 0px';

/** The id of the first of these sections that is being read; it stays until there is another. */
function useSectionInView(ids: readonly string[]): string | undefined {
  const [current, setCurrent] = useState(ids[0]);
  // A new array each time would restart with each render.
  const joined = ids.join(' ');
  useEffect(() => {
    const sections = joined.split(' ');
    const seen = new Set<string>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) seen.add(target.id);
          else seen.delete(target.id);
        }
        const first = sections.find((id) => seen.has(id));
        setCurrent((before) => first ?? (isAhead(sections[0]) ? sections[0] : before));
      },
      { rootMargin: MARGIN },
    );
    for (const id of sections) {
      const element = document.getElementById(id);
      if (element) observer.observe(element);
    }
    return () => observer.disconnect();
  }, [joined]);
  return current;
}

/** The reader is still above it. */
const isAhead = (id = '') => (document.getElementById(id)?.getBoundingClientRect().top ?? 0) > 0;
