import { X } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { cx } from './cx.ts';
import { controlClass, useFieldWiring } from './field.tsx';

type ChipsInputProps = {
  value: readonly string[];
  onChange: (chips: string[]) => void;
  onBlur?: () => void;
  /** Gives the focus to the text box, so that a form can lead to its first error. */
  ref?: React.Ref<HTMLInputElement>;
  placeholder?: string;
  suggestions?: readonly string[];
};

/** Several short texts: Enter, comma and paste add one, Backspace removes the last. */
export function ChipsInput({
  value,
  onChange,
  onBlur,
  ref,
  placeholder,
  suggestions = [],
}: ChipsInputProps) {
  const [text, setText] = useState('');
  const add = (typed: string) => {
    const next = withChips(value, typed);
    if (next.length !== value.length) onChange(next);
    setText('');
  };
  const remove = (chip: string) => onChange(value.filter((it) => it !== chip));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if ((event.key === 'Enter' || event.key === ',') && text.trim() !== '') {
      event.preventDefault();
      add(text);
    } else if (event.key === 'Backspace' && text === '') {
      onChange(value.slice(0, -1));
    }
  };
  const chosen = new Set(value.map((chip) => chip.toLowerCase()));
  const offered = suggestions.filter((it) => !chosen.has(it.toLowerCase()));
  return (
    <div className="flex flex-col gap-2">
      <div
        className={cx(
          controlClass,
          'flex min-h-9 flex-wrap items-center gap-1 px-1 py-1',
          'focus-within:outline-2 focus-within:outline-accent has-aria-invalid:border-danger',
        )}
      >
        {value.map((chip) => (
          <Chip key={chip} chip={chip} onRemove={() => remove(chip)} />
        ))}
        <input
          dir="auto"
          {...useFieldWiring()}
          ref={ref}
          value={text}
          placeholder={value.length === 0 ? placeholder : undefined}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData('text');
            if (!/[,\n]/.test(pasted)) return;
            event.preventDefault();
            add(text + pasted);
          }}
          onBlur={() => {
            // Text that was not confirmed is added too: nothing typed is lost.
            if (text.trim() !== '') add(text);
            onBlur?.();
          }}
          className="h-7 min-w-24 flex-1 bg-transparent px-2 outline-none"
        />
      </div>
      {offered.length > 0 && (
        <Suggestions offered={offered} onChoose={(it) => onChange(withChips(value, it))} />
      )}
    </div>
  );
}

function Chip({ chip, onRemove }: { chip: string; onRemove: () => void }) {
  const { t } = useTranslation('common');
  return (
    <span className="inline-flex max-w-full items-center rounded-sm bg-sunken pl-2 text-sm">
      <span className="truncate">{chip}</span>
      <button
        type="button"
        aria-label={t('chips.remove', { chip })}
        onClick={onRemove}
        className="inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-muted hover:text-text"
      >
        <X aria-hidden className="size-3" />
      </button>
    </span>
  );
}

function Suggestions({
  offered,
  onChoose,
}: {
  offered: readonly string[];
  onChoose: (suggestion: string) => void;
}) {
  const { t } = useTranslation('common');
  return (
    <ul aria-label={t('chips.suggestions')} className="flex flex-wrap gap-1">
      {offered.map((suggestion) => (
        <li key={suggestion}>
          <button
            type="button"
            onClick={() => onChoose(suggestion)}
            className="rounded-sm border border-line px-2 py-0.5 text-xs text-muted transition-colors duration-150 hover:border-border hover:text-text"
          >
            + {suggestion}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Adds typed or pasted chips: trimmed, without blanks and duplicates. */
export function withChips(chips: readonly string[], typed: string): string[] {
  const added = typed.split(/[,\n]/).map((chip) => chip.trim());
  return [...new Set([...chips, ...added])].filter((chip) => chip !== '');
}
