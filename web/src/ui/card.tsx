import type { ComponentProps, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { cx } from './cx.ts';
import { numberFormat } from './formats.ts';
import { Skeleton } from './loading.tsx';

export function Card({ className, ...rest }: ComponentProps<'div'>) {
  return (
    <div {...rest} className={cx('rounded-lg border border-line bg-surface p-4', className)} />
  );
}

/** A card that is a part of the page, with a heading. */
export function CardSection({
  title,
  actions,
  className,
  children,
}: {
  title: string;
  actions?: ReactNode;
  className?: string;
  children: ReactNode;
}) {
  return (
    <section className={cx('rounded-lg border border-line bg-surface p-4', className)}>
      <div className="mb-3 flex min-h-8 flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <h2 className="text-base font-semibold">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

const rowsOf = (span: 'row-span-2' | 'row-span-3') => `${span} grid grid-rows-subgrid gap-y-1`;

/** For an element around a StatCard: its lines are rows of the grid, level with its neighbors. */
export const statRows = rowsOf('row-span-3');

/** One figure in a grid: what it counts, the number, and what to compare it with. */
export function StatCard({
  label,
  value,
  detail,
  icon,
}: {
  label: string;
  value: ReactNode;
  detail?: ReactNode;
  icon?: ReactNode;
}) {
  return (
    <Card className={cx(rowsOf(detail ? 'row-span-3' : 'row-span-2'), 'min-w-0')}>
      <div className="@container flex items-start justify-between gap-2 text-sm text-muted [&_svg]:mt-0.5 [&_svg]:size-4 [&_svg]:shrink-0">
        <span className="min-w-0 break-words">{label}</span>
        {/* Long words of some languages need all of a narrow card. */}
        {icon && <span className="hidden @min-[8rem]:inline-flex">{icon}</span>}
      </div>
      <div className="tabular text-lg font-semibold">{value}</div>
      {detail && <div className="text-xs text-muted">{detail}</div>}
    </Card>
  );
}

type Figure = { label: string; icon: ReactNode; value: number | undefined };

/** Four figures in a row, with a placeholder for each that is still loading. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  const { i18n } = useTranslation();
  return (
    <div className="grid grid-cols-2 gap-4 md:grid-cols-4">
      {figures.map(({ label, icon, value }) => (
        <StatCard
          key={label}
          label={label}
          icon={icon}
          value={
            value === undefined ? (
              <Skeleton className="my-1.5 w-12" />
            ) : (
              numberFormat(i18n.language).format(value)
            )
          }
        />
      ))}
    </div>
  );
}
