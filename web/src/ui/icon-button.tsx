import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cx } from './cx.ts';
import { Tooltip } from './tooltip.tsx';

export type IconButtonProps = Omit<ComponentProps<'button'>, 'children'> & {
  icon: LucideIcon;
  /** Its name: read aloud, and shown on hover. */
  label: string;
};

export function IconButton({ icon: Icon, label, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip label={label}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        className={cx(
          'inline-flex size-9 shrink-0 items-center justify-center rounded-md text-muted',
          'transition-colors duration-150 ease-out hover:bg-sunken hover:text-text',
          'disabled:opacity-55',
          className,
        )}
      >
        <Icon aria-hidden className="size-4" />
      </button>
    </Tooltip>
  );
}
