import { CircleAlert, Info, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

const styles: Record<'info' | 'warning' | 'danger', { icon: LucideIcon; className: string }> = {
  info: { icon: Info, className: 'wash-info border-info/40 [&>svg]:text-info' },
  warning: {
    icon: TriangleAlert,
    className: 'wash-warning border-warning/40 [&>svg]:text-warning',
  },
  danger: { icon: CircleAlert, className: 'wash-danger border-danger/40 [&>svg]:text-danger' },
};

/** Something that concerns the whole page or form. */
export function Banner({
  tone,
  title,
  action,
  children,
}: {
  tone: 'info' | 'warning' | 'danger';
  title?: string;
  action?: ReactNode;
  children?: ReactNode;
}) {
  const { icon: Icon, className } = styles[tone];
  return (
    <div
      role={tone === 'danger' ? 'alert' : 'status'}
      className={cx('flex items-start gap-3 rounded-lg border p-3 text-sm', className)}
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1 break-words">
        {title && <p className="font-semibold">{title}</p>}
        {children}
      </div>
      {action}
    </div>
  );
}
