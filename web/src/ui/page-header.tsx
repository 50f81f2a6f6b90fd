import type { ReactNode } from 'react';

/** Title, one line of what the page is for, and its one primary action. */
export function PageHeader({
  title,
  description,
  action,
}: {
  title: string;
  description?: string;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
      <div className="min-w-0">
        <h1 className="text-lg font-semibold break-words">{title}</h1>
        {description && <p className="text-sm text-muted">{description}</p>}
      </div>
      {action && <div className="flex flex-wrap gap-2">{action}</div>}
    </div>
  );
}

/** The parts of a page, one below the other, 24 px apart. */
export function Page({ children }: { children: ReactNode }) {
  return <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-6">{children}</div>;
}
