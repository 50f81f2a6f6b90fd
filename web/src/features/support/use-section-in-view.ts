import { useEffect, useState } from 'react';

/** A section counts as read from where the header ends to the middle of the window. */
const MARGIN = '-80px 0px -50% 0px';

/** The id of the first of these sections that is being read; it stays until there is another. */
export function useSectionInView(ids: readonly string[]): string | undefined {
  const [current, setCurrent] = useState(ids[0]);
  // An array of its own each time would begin anew with each picture that is drawn.
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
