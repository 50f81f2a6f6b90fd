import type { LiveInput } from '@tallyhand/contracts/features/sessions/live.messages';
import { ArrowLeft } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Input } from '../../ui/input.tsx';
import { wholeAddress } from './browser-input.ts';

type Send = (input: LiveInput) => boolean;

const KEYS = ['Tab', 'Enter', 'Backspace', 'Escape', 'PageUp', 'PageDown'] as const;

/** What a pointer and a keyboard do in the picture, for whoever has but one of them. */
export function SteerFields({ url, send }: { url: string | null; send: Send }) {
  const { t } = useTranslation('sessions');
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <div className="grid gap-3 md:grid-cols-2">
        <OneLine
          key={url}
          label={t('steer.address')}
          start={url ?? ''}
          action={t('steer.open')}
          act={(typed) => send({ type: 'input', kind: 'open', url: wholeAddress(typed) })}
          before={
            <IconButton
              icon={ArrowLeft}
              label={t('steer.back')}
              onClick={() => send({ type: 'input', kind: 'back' })}
            />
          }
        />
        <OneLine
          label={t('steer.text')}
          help={t('steer.textHelp')}
          action={t('steer.type')}
          act={(text) => send({ type: 'input', kind: 'text', text })}
          isEmptied
        />
      </div>
      <fieldset className="flex flex-wrap gap-2">
        <legend className="sr-only">{t('steer.keys')}</legend>
        {KEYS.map((key) => (
          <Button key={key} size="sm" onClick={() => send({ type: 'input', kind: 'key', key })}>
            {t(`steer.key.${key}`)}
          </Button>
        ))}
      </fieldset>
    </div>
  );
}

/** A field with its button; Enter presses it. `isEmptied`: what was sent is gone from it. */
function OneLine({
  label,
  help,
  start = '',
  action,
  act,
  before,
  isEmptied,
}: {
  label: string;
  help?: string;
  start?: string;
  action: string;
  act: (value: string) => boolean;
  before?: React.ReactNode;
  isEmptied?: boolean;
}) {
  const id = useId();
  const [value, setValue] = useState(start);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (value === '') return;
    if (act(value) && isEmptied) setValue('');
  };
  return (
    <form onSubmit={submit} className="flex min-w-0 items-center gap-2">
      {before}
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <Input
        id={id}
        title={help}
        placeholder={label}
        autoComplete="off"
        maxLength={2_000}
        value={value}
        onChange={({ target }) => setValue(target.value)}
      />
      <Button type="submit">{action}</Button>
    </form>
  );
}
