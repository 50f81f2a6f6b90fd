import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { cx } from './cx.ts';
import { Link, type LinkProps } from './link.tsx';
import { Spinner } from './loading.tsx';

type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'destructive';

const variants: Record<ButtonVariant, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong',
  secondary: 'border border-border bg-surface text-text hover:bg-sunken',
  ghost: 'text-text hover:bg-sunken',
  destructive: 'bg-danger text-on-danger hover:bg-danger-strong',
};

type ButtonStyle = {
  variant?: ButtonVariant;
  size?: 'sm' | 'md' | 'lg';
  /** Before the words. */
  icon?: LucideIcon;
};

const sizes = {
  sm: 'h-8 px-3 text-sm whitespace-nowrap',
  md: 'h-9 px-4 text-sm whitespace-nowrap',
  // Its words are a sentence in some languages, and wider than a phone.
  lg: 'min-h-11 max-w-full px-6 py-2 text-center text-base',
};

const buttonClass = ({ variant = 'secondary', size = 'md' }: Omit<ButtonStyle, 'icon'>) =>
  cx(
    'relative inline-flex shrink-0 items-center justify-center gap-2 rounded-md font-medium',
    'transition-colors duration-150 ease-out select-none',
    'aria-disabled:opacity-55 disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0',
    variants[variant],
    sizes[size],
  );

type ButtonProps = ComponentProps<'button'> &
  ButtonStyle & {
    /** Work is under way: the button takes no clicks and keeps its width. */
    pending?: boolean;
    /** What a screen reader hears while the work is under way. */
    pendingLabel?: string;
  };

export function Button({
  variant,
  size,
  icon: Icon,
  pending = false,
  pendingLabel,
  className,
  children,
  disabled,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled}
      // A disabled button would lose the focus; this one only refuses the second click.
      aria-disabled={pending || rest['aria-disabled'] || undefined}
      aria-busy={pending || undefined}
      onClick={(event) => {
        if (pending) event.preventDefault();
        else onClick?.(event);
      }}
      className={cx(buttonClass({ variant, size }), className)}
    >
      <span className={cx('inline-flex items-center gap-2', pending && 'invisible')}>
        {Icon && <Icon aria-hidden />}
        {children}
      </span>
      {pending && (
        <span className="absolute inset-0 flex items-center justify-center">
          <Spinner />
          {pendingLabel && <span className="sr-only">{pendingLabel}</span>}
        </span>
      )}
    </button>
  );
}

type LinkTarget =
  | Pick<LinkProps, 'to' | 'replace' | 'state' | 'onClick' | 'aria-label'>
  | Pick<ComponentProps<'a'>, 'href' | 'download' | 'target' | 'rel' | 'aria-label'>;

/** A link that looks like a button: `to` a page, or with `href` to another address or a file. */
export function ButtonLink({
  variant,
  size,
  icon: Icon,
  className,
  children,
  ...target
}: ButtonStyle & LinkTarget & { className?: string; children: ReactNode }) {
  const look = cx(buttonClass({ variant, size }), 'print:hidden', className);
  const content = (
    <>
      {Icon && <Icon aria-hidden />}
      {children}
    </>
  );
  return 'to' in target ? (
    <Link {...target} className={look}>
      {content}
    </Link>
  ) : (
    <a {...target} className={look}>
      {content}
    </a>
  );
}

/** A quiet button of a page's header; it may open a menu. */
export function HeaderButton({ className, ...rest }: ComponentProps<'button'>) {
  return (
    <button
      type="button"
      {...rest}
      className={cx(
        'inline-flex h-9 min-w-9 shrink-0 items-center justify-center gap-2 rounded-md px-2 text-sm',
        'text-muted transition-colors duration-150 ease-out hover:bg-sunken hover:text-text',
        'data-[state=open]:bg-sunken data-[state=open]:text-text [&_svg]:size-4',
        className,
      )}
    />
  );
}
