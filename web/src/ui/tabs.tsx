import * as Radix from '@radix-ui/react-tabs';
import { type ReactNode, useEffect, useRef } from 'react';
import { cx } from './cx.ts';

type Tab<V extends string> = { value: V; label: ReactNode };

export function Tabs<V extends string>({
  value,
  onChange,
  tabs,
  label,
  className,
  children,
}: {
  value: V;
  onChange: (value: V) => void;
  tabs: readonly Tab<V>[];
  /** What the tabs choose between, for a screen reader. */
  label: string;
  className?: string;
  children: ReactNode;
}) {
  const list = useRef<HTMLDivElement>(null);
  const chosen = tabs.findIndex((tab) => tab.value === value);
  // On a phone the tabs may be wider than the page: the chosen one is always seen.
  useEffect(() => {
    const tab = list.current?.children[chosen];
    if (!list.current || !(tab instanceof HTMLElement)) return;
    list.current.scrollLeft = tab.offsetLeft - (list.current.clientWidth - tab.clientWidth) / 2;
  }, [chosen]);
  return (
    <Radix.Root
      value={value}
      onValueChange={(next) => onChange(next as V)}
      className={cx('flex min-h-0 flex-col', className)}
    >
      <Radix.List
        ref={list}
        aria-label={label}
        className="relative flex shrink-0 gap-x-4 overflow-x-auto shadow-[inset_0_-1px_0_0_var(--color-line)] [scrollbar-width:none]"
      >
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="h-9 shrink-0 whitespace-nowrap border-b-2 border-transparent text-sm font-medium text-muted transition-colors duration-150 hover:text-text data-[state=active]:border-accent data-[state=active]:text-text"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {children}
    </Radix.Root>
  );
}

export function TabPanel({
  value,
  keep = false,
  className,
  children,
}: {
  value: string;
  /** Keeps what was typed while another tab is shown. */
  keep?: boolean;
  className?: string;
  children: ReactNode;
}) {
  return (
    <Radix.Content
      value={value}
      forceMount={keep || undefined}
      className={cx('pt-4 data-[state=inactive]:hidden', className)}
    >
      {children}
    </Radix.Content>
  );
}
