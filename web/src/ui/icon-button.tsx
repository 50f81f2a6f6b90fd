import { Check, Copy, type LucideIcon } from 'lucide-react';
import { type ComponentProps, useEffect, useState } from 'react';
import { cx } from './cx.ts';
import { Tooltip } from './tooltip.tsx';

type IconButtonProps = Omit<ComponentProps<'button'>, 'children'> & {
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

const CONFIRMED_MS = 2_000;

/** Copies the text, and shows a tick for two seconds. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <IconButton
      icon={copied ? Check : Copy}
      label={label}
      className="size-7"
      onClick={() => {
        navigator.clipboard.writeText(text).then(
          () => setCopied(true),
          () => setCopied(false),
        );
      }}
    />
  );
}

const SHORT_ID_LENGTH = 8;

/** The end of an id or hash, which differs from its neighbors, and a button that copies it all. */
export function ShortId({ id, copyLabel }: { id: string; copyLabel: string }) {
  return (
    <span className="-my-1 inline-flex items-center gap-1">
      <code className="font-mono" title={id}>
        {id.slice(-SHORT_ID_LENGTH)}
      </code>
      <CopyButton text={id} label={copyLabel} />
    </span>
  );
}
