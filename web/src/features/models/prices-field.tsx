import { Plus, X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useFieldArray } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useFieldMessage } from '../../app/form.ts';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import type { ConnectionForm } from './connection-texts.ts';

const AMOUNTS = ['input', 'cachedInput', 'output'] as const;

/** The prices of a connection's models, where they differ from the public ones. */
export function PricesField({ form }: { form: ConnectionForm }) {
  const { t } = useTranslation('models');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  const id = useId();
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'prices' });
  const error = message(form.formState.errors.prices?.root ?? form.formState.errors.prices);
  const unpriced = () => {
    const priced = form.getValues('prices').map(({ model }) => model.trim());
    const models = form.getValues('models').split('\n');
    return models.map((model) => model.trim()).find((model) => !priced.includes(model)) ?? '';
  };
  return (
    <fieldset
      className="flex min-w-0 flex-col gap-2"
      aria-describedby={`${id}-help`}
      data-invalid={error ? true : undefined}
    >
      <legend className="mb-1 text-sm font-medium">
        {t('prices.title')}
        <span className="ml-1 font-normal text-muted">({common('optional')})</span>
      </legend>
      {fields.map((field, index) => (
        <PriceRow
          key={field.id}
          form={form}
          index={index}
          onRemove={() => {
            remove(index);
            document.getElementById(`${id}-add`)?.focus();
          }}
        />
      ))}
      <Button
        icon={Plus}
        id={`${id}-add`}
        size="sm"
        className="self-start"
        onClick={() => append({ model: unpriced(), input: '', cachedInput: '', output: '' })}
      >
        {t('prices.add')}
      </Button>
      <p id={`${id}-help`} className={error ? 'text-xs text-danger' : 'text-xs text-muted'}>
        {error ?? t('prices.help')}
      </p>
    </fieldset>
  );
}

function PriceRow({
  form,
  index,
  onRemove,
}: {
  form: ConnectionForm;
  index: number;
  onRemove: () => void;
}) {
  const { t } = useTranslation('models');
  const message = useFieldMessage();
  const id = useId();
  const errors = form.formState.errors.prices?.[index];
  const model = form.watch(`prices.${index}.model`);
  const named = model.trim() || String(index + 1);
  const wrong = [
    message(errors?.model),
    ...AMOUNTS.map((amount) => message(errors?.[amount])),
  ].find((text) => text !== undefined);
  const wiring = (isInvalid: boolean) =>
    isInvalid ? { 'aria-invalid': true as const, 'aria-describedby': `${id}-below` } : {};
  return (
    <div data-field className="flex flex-col gap-1">
      <div className="flex items-end gap-2">
        <div className="grid min-w-0 flex-1 grid-cols-3 gap-2 sm:grid-cols-[3fr_2fr_2fr_2fr]">
          <Labelled label={t('prices.model')} className="col-span-3 sm:col-span-1">
            <Input
              aria-label={t('prices.modelOf', { number: index + 1 })}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              className="font-mono"
              {...wiring(errors?.model !== undefined)}
              {...form.register(`prices.${index}.model`)}
            />
          </Labelled>
          {AMOUNTS.map((amount) => (
            <Labelled key={amount} label={t(`prices.${amount}`)}>
              <Input
                aria-label={`${t(`prices.${amount}`)}: ${named}`}
                inputMode="decimal"
                autoComplete="off"
                className="tabular text-right"
                placeholder={amount === 'cachedInput' ? t('prices.same') : undefined}
                {...wiring(errors?.[amount] !== undefined)}
                {...form.register(`prices.${index}.${amount}`)}
              />
            </Labelled>
          ))}
        </div>
        <IconButton icon={X} label={t('prices.remove', { model: named })} onClick={onRemove} />
      </div>
      {wrong && (
        <p id={`${id}-below`} className="text-xs text-danger">
          {wrong}
        </p>
      )}
    </div>
  );
}

function Labelled({
  label,
  className,
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <div className={className}>
      <p aria-hidden className="mb-1 truncate text-xs text-muted">
        {label}
      </p>
      {children}
    </div>
  );
}
