import type { ReactNode } from 'react';

/** The title of a part of the landing page, begun with a stroke in ink. */
export function SectionTitle({ children }: { children: ReactNode }) {
  return (
    <h2 className="flex items-center gap-4 text-2xl font-semibold tracking-tight">
      <span aria-hidden className="h-8 w-1 shrink-0 rotate-6 rounded-full bg-accent" />
      {children}
    </h2>
  );
}
