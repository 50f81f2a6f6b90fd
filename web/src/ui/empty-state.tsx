import type { LucideIcon } from 'lucide-react';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { focusPagePrimary } from './page-primary.ts';

/** An empty list: one sentence, why it is worth filling, and the action. */
export function EmptyState({
  icon: Icon,
  title,
  description,
  action,
}: {
  icon: LucideIcon;
  title: string;
  description: string;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-1 px-4 py-12 text-center">
      <Icon aria-hidden className="mb-2 size-6 text-muted" />
      <h2 className="text-base font-semibold">{title}</h2>
      <p className="max-w-[68ch] text-sm text-balance text-muted">{description}</p>
      {action && <EmptyAction>{action}</EmptyAction>}
    </div>
  );
}

/** Takes the focus along when the first row comes, and the button is gone. */
function EmptyAction({ children }: { children: ReactNode }) {
  const area = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const shown = area.current;
    return () => {
      if (shown?.contains(document.activeElement)) queueMicrotask(focusPagePrimary);
    };
  }, []);
  return (
    <div ref={area} data-empty-action className="mt-4">
      {children}
    </div>
  );
}
