import { ChevronDown, Eye, EyeOff, type LucideIcon } from 'lucide-react';
import {
  type ComponentProps,
  createContext,
  type ReactNode,
  useContext,
  useId,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { cx } from './cx.ts';

type FieldWiring = {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
  'aria-required'?: true;
};

const FieldContext = createContext<FieldWiring | undefined>(undefined);

/** The attributes that tie a control to the label, help and error of its Field. */
export function useFieldWiring(): Partial<FieldWiring> {
  return useContext(FieldContext) ?? {};
}

type FieldProps = {
  label: string;
  help?: ReactNode;
  /** Shown in place of the help. */
  error?: string;
  required?: boolean;
  /** A word beside the label, such as "optional". */
  hint?: string;
  children: ReactNode;
};

export function Field({ label, help, error, required, hint, children }: FieldProps) {
  const id = useId();
  const below = error || help ? `${id}-below` : undefined;
  const wiring: FieldWiring = {
    id,
    ...(below && { 'aria-describedby': below }),
    ...(error && { 'aria-invalid': true }),
    ...(required && { 'aria-required': true }),
  };
  return (
    <div data-field className="flex min-w-0 scroll-mt-6 scroll-mb-6 flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
        {hint && <span className="ml-1 font-normal text-muted">({hint})</span>}
      </label>
      <FieldContext value={wiring}>{children}</FieldContext>
      {error ? (
        <p id={below} className="text-xs text-danger">
          {error}
        </p>
      ) : (
        help && (
          <p id={below} className="text-xs text-muted">
            {help}
          </p>
        )
      )}
    </div>
  );
}

/** The style of all form controls. 16 px on phones, so that they don't zoom. */
export const controlClass = cx(
  'w-full min-w-0 rounded-md border border-border bg-surface px-3 text-base sm:text-sm text-text',
  'transition-colors duration-150 ease-out hover:border-text/70',
  'focus-visible:outline-2 focus-visible:outline-offset-0 focus-visible:outline-accent',
  'aria-invalid:border-danger disabled:opacity-55 [&[readonly]]:bg-sunken',
);

/**
 * More than any text may have, and no more than a browser can show. The rest is cut, and the form
 * shows how long the text may be.
 */
const TEXT_TAKEN_MAX = 500_000;

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  // Right-to-left text is shown correctly while typing.
  return (
    <input
      dir="auto"
      maxLength={TEXT_TAKEN_MAX}
      {...useFieldWiring()}
      {...rest}
      className={cx(controlClass, 'h-9', className)}
    />
  );
}

/** An input with a picture of its purpose before it, as in a search box. */
export function IconInput({
  icon: Icon,
  className,
  ...rest
}: ComponentProps<'input'> & { icon: LucideIcon }) {
  return (
    <div className={cx('relative', className)}>
      <Icon
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
      />
      <Input {...rest} className="pl-9" />
    </div>
  );
}

/** Grows with its text, from `rows` up to half the screen. */
export function Textarea({ className, rows = 3, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea
      dir="auto"
      maxLength={TEXT_TAKEN_MAX}
      {...useFieldWiring()}
      rows={rows}
      {...rest}
      className={cx(
        controlClass,
        'field-sizing-content supports-[field-sizing:content]:resize-none max-h-[50dvh] py-2',
        className,
      )}
      style={{ minHeight: `${rows * 1.5 + 1.125}em` }}
    />
  );
}

type SelectOption = { value: string; label: string; disabled?: boolean };

/**
 * The platform's own select: a phone opens its own picker, and it needs no <style> tag, which
 * the one of Radix renders and our Content-Security-Policy refuses.
 */
export function Select({
  options,
  className,
  ...rest
}: Omit<ComponentProps<'select'>, 'children'> & { options: readonly SelectOption[] }) {
  return (
    <div className={cx('relative', className)}>
      <select
        {...useFieldWiring()}
        {...rest}
        className={cx(controlClass, 'h-9 appearance-none truncate pr-9')}
      >
        {options.map(({ value, label, disabled }) => (
          <option key={value} value={value} disabled={disabled}>
            {label}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-muted"
      />
    </div>
  );
}

export function PasswordInput(props: Omit<ComponentProps<'input'>, 'type'>) {
  const { t } = useTranslation('common');
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <div className="relative">
      <Input {...props} type={shown ? 'text' : 'password'} className="pr-10" spellCheck={false} />
      <button
        type="button"
        aria-label={shown ? t('password.hide') : t('password.show')}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-0 right-0 flex w-9 items-center justify-center rounded-md text-muted hover:text-text"
      >
        <Icon aria-hidden className="size-4" />
      </button>
    </div>
  );
}
