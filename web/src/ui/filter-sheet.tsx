import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './button.tsx';
import { FormDialog } from './dialog.tsx';
import { Field, Input, Select } from './field.tsx';
import {
  type FilterBarProps,
  type FilterField,
  type FilterValues,
  NO_DAYS,
  periodOf,
} from './filters.ts';
import { type Days, PERIODS } from './periods.ts';

export const isReversed = ({ from, to }: Days) => Boolean(from && to && from > to);

type DayFieldsProps = {
  readonly days: Days;
  readonly setDays: (days: Days) => void;
  /** Shown at the last day, unless the days are in the wrong order. */
  readonly error?: string;
};

/** The first and the last day. */
export function DayFields({ days, setDays, error }: DayFieldsProps) {
  const { t } = useTranslation('lists');
  const wrong = isReversed(days) ? t('dates.reversed') : error;
  return (
    <div className="grid grid-cols-2 items-start gap-3">
      <Field label={t('dates.from')}>
        <Input
          type="date"
          name="from"
          value={days.from ?? ''}
          onChange={({ target }) => setDays({ ...days, from: target.value })}
        />
      </Field>
      <Field label={t('dates.to')} {...(wrong !== undefined && { error: wrong })}>
        <Input
          type="date"
          name="to"
          value={days.to ?? ''}
          onChange={({ target }) => setDays({ ...days, to: target.value })}
        />
      </Field>
    </div>
  );
}

type OverlayProps = FilterBarProps & { close: () => void };

/** Any days. */
export function DaysDialog({ values, change, close }: OverlayProps) {
  const { t } = useTranslation('lists');
  const [days, setDays] = useState<Days>({ from: values.from, to: values.to });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReversed(days)) return;
    change({ period: undefined, ...days }, 'chosen');
    close();
  };
  return (
    <FormDialog
      title={t('dates.customTitle')}
      submit={submit}
      submitLabel={t('filters.apply')}
      pending={false}
      close={close}
    >
      <DayFields days={days} setDays={setDays} />
    </FormDialog>
  );
}

const CUSTOM = 'custom';

/** All filters on a phone: nothing changes until they are applied. */
export function FilterSheet({ fields, dates, values, change, close }: OverlayProps) {
  const { t } = useTranslation('lists');
  const names = [...fields.map(({ name }) => name), ...(dates ? Object.keys(NO_DAYS) : [])];
  const none = Object.fromEntries(names.map((name) => [name, undefined]));
  const [chosen, setChosen] = useState<FilterValues>(values);
  const [isCustom, setCustom] = useState(!periodOf(values) && Boolean(values.from || values.to));
  const count = [
    ...fields.map(({ name }) => chosen[name]),
    dates && (chosen.period || chosen.from || chosen.to),
  ].filter(Boolean).length;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReversed(chosen)) return;
    const wanted = names.map((name) => [name, chosen[name]]);
    change(Object.fromEntries(wanted), 'chosen');
    close();
  };
  const setDays = (days: FilterValues) => setChosen({ ...chosen, ...NO_DAYS, ...days });
  return (
    <FormDialog
      title={t('filters.title')}
      submit={submit}
      submitLabel={count > 0 ? t('filters.applyCounted', { number: count }) : t('filters.apply')}
      pending={false}
      close={close}
    >
      {fields.map((field) => (
        <ChoiceField
          key={field.name}
          field={field}
          value={chosen[field.name]}
          choose={(value) => setChosen({ ...chosen, [field.name]: value })}
        />
      ))}
      {dates && (
        <Field label={dates}>
          <Select
            value={isCustom ? CUSTOM : (periodOf(chosen) ?? '')}
            onChange={({ target: { value } }) => {
              setCustom(value === CUSTOM);
              setDays(value === CUSTOM ? {} : { period: value });
            }}
            options={[
              { value: '', label: t('filters.any') },
              ...PERIODS.map((value) => ({ value, label: t(`dates.${value}`) })),
              { value: CUSTOM, label: t('dates.custom') },
            ]}
          />
        </Field>
      )}
      {dates && isCustom && <DayFields days={chosen} setDays={(days) => setDays(days)} />}
      {count > 0 && (
        <Button
          variant="ghost"
          className="self-start"
          onClick={() => {
            setChosen({ ...chosen, ...none });
            setCustom(false);
          }}
        >
          {t('filters.clearAll')}
        </Button>
      )}
    </FormDialog>
  );
}

function ChoiceField({
  field: { label, options, unknown },
  value = '',
  choose,
}: {
  field: FilterField;
  value: string | undefined;
  choose: (value: string) => void;
}) {
  const { t } = useTranslation('lists');
  if (!options && value === '') return null;
  const isKnown = value === '' || options?.some((option) => option.value === value);
  return (
    <Field label={label}>
      <Select
        value={value}
        disabled={value === '' && options?.length === 0}
        onChange={({ target }) => choose(target.value)}
        options={[
          { value: '', label: t('filters.any') },
          ...(isKnown ? [] : [{ value, label: unknown?.(value) ?? value }]),
          ...(options ?? []),
        ]}
      />
    </Field>
  );
}
