import { eventsByCategory } from '@tallyhand/contracts/events';
import { ANY_EVENT } from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Input } from '../../ui/input.tsx';
import { scrollable } from '../../ui/scrollable.ts';
import { useAuditWords } from '../audit/use-audit-words.ts';

const TYPES = Object.entries(eventsByCategory).map(
  ([kind, events]) => [kind, Object.keys(events)] as const,
);

type Picker = {
  value: readonly string[];
  onChange: (types: string[]) => void;
  error?: string | undefined;
};

/** All events, or some of them by type. */
export function EventPicker({ value, onChange, error }: Picker) {
  const { t } = useTranslation('developers');
  const id = useId();
  const isAll = value[0] === ANY_EVENT;
  return (
    <fieldset aria-describedby={error ? id : undefined} className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 text-sm font-medium">{t('webhooks.events')}</legend>
      <Checkbox
        label={t('webhooks.all')}
        checked={isAll}
        onCheckedChange={(checked) => onChange(checked ? [ANY_EVENT] : [])}
      />
      {!isAll && <Types value={value} onChange={onChange} />}
      {error && (
        <p id={id} className="text-xs text-danger">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function Types({ value, onChange }: Picker) {
  const { t } = useTranslation('developers');
  const words = useAuditWords();
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const matches = (type: string) =>
    type.toLowerCase().includes(wanted) || words.event(type).toLowerCase().includes(wanted);
  const found = TYPES.map(([kind, types]) => [kind, types.filter(matches)] as const).filter(
    ([, types]) => types.length > 0,
  );
  const toggle = (type: string, checked: boolean) =>
    onChange(checked ? [...value, type] : value.filter((each) => each !== type));
  return (
    <>
      <Input
        type="search"
        aria-label={t('webhooks.filter')}
        placeholder={t('webhooks.filter')}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <section
        aria-label={t('webhooks.events')}
        {...scrollable}
        className="flex max-h-64 flex-col gap-4 overflow-y-auto rounded-md border border-line p-3"
      >
        {found.length === 0 && <p className="text-sm text-muted">{t('webhooks.noMatch')}</p>}
        {found.map(([kind, types]) => (
          <div key={kind} className="flex flex-col gap-2">
            <p className="text-xs font-medium text-muted">{words.kind(kind)}</p>
            {types.map((type) => (
              <Checkbox
                key={type}
                label={words.event(type)}
                help={type}
                checked={value.includes(type)}
                onCheckedChange={(checked) => toggle(type, checked)}
              />
            ))}
          </div>
        ))}
      </section>
    </>
  );
}
