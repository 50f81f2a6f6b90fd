import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
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
  return (
    <Radix.Root
      value={value}
      onValueChange={(next) => onChange(next as V)}
      className={cx('flex min-h-0 flex-col', className)}
    >
      <Radix.List aria-label={label} className="flex flex-wrap gap-x-4 border-b border-line">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px h-9 border-b-2 border-transparent text-sm font-medium text-muted transition-colors duration-150 hover:text-text data-[state=active]:border-accent data-[state=active]:text-text"
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
