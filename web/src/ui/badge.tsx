import {
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  Hand,
  type LucideIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';
import { Spinner } from './loading.tsx';

export type Tone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger' | 'info';

const tones: Record<Tone, string> = {
  neutral: 'bg-sunken text-muted',
  accent: 'wash-accent text-accent',
  success: 'wash-success text-success',
  warning: 'wash-warning text-warning',
  danger: 'wash-danger text-danger',
  info: 'wash-info text-info',
};

export function Badge({
  tone = 'neutral',
  className,
  children,
}: {
  tone?: Tone;
  className?: string;
  children: ReactNode;
}) {
  return (
    <span
      className={cx(
        'inline-flex h-6 max-w-full items-center gap-1 rounded-sm px-2 text-xs font-medium',
        'whitespace-nowrap [&_svg]:size-3 [&_svg]:shrink-0',
        tones[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}

/** `attention`: it waits for a person. */
export type Status = 'success' | 'failed' | 'running' | 'waiting' | 'attention' | 'paused';

const styles: Record<Status, { tone: Tone; icon: LucideIcon | undefined }> = {
  success: { tone: 'success', icon: CircleCheck },
  failed: { tone: 'danger', icon: CircleX },
  running: { tone: 'neutral', icon: undefined },
  waiting: { tone: 'neutral', icon: CircleDashed },
  attention: { tone: 'warning', icon: Hand },
  paused: { tone: 'neutral', icon: CirclePause },
};

/** A status, never by color alone: an icon and a word. */
export function StatusBadge({ status, label }: { status: Status; label: string }) {
  const { tone, icon: Icon } = styles[status];
  return (
    <Badge tone={tone}>
      {Icon ? <Icon aria-hidden /> : <Spinner />}
      {label}
    </Badge>
  );
}
