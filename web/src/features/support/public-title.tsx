import type { ReactNode } from 'react';
import { usePageHead } from './page-head.ts';
import { usePlace } from './use-place.ts';

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
