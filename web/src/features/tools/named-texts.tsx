import { Plus, X } from 'lucide-react';
import { useId } from 'react';
import { useFieldArray } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useFieldMessage } from '../../app/form.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Input } from '../../ui/input.tsx';
import { PasswordInput } from '../../ui/password-input.tsx';
import type { ToolFormApi } from './use-tool-form.ts';

/** Rows of a name and a text: the headers of an API, or the secrets of a script. */
export function NamedTexts({
  form,
  list,
  help,
}: {
  form: ToolFormApi;
  list: 'headers' | 'secrets';
  help: string;
}) {
  const { t } = useTranslation('tools');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  const id = useId();
  const { fields, append, remove } = useFieldArray({ control: form.control, name: list });
  const error = message(form.formState.errors[list]?.root ?? form.formState.errors[list]);
  return (
    <fieldset className="flex min-w-0 flex-col gap-2" aria-describedby={`${id}-help`}>
      <legend className="mb-1 text-sm font-medium">
        {t(`${list}.title`)}
        <span className="ml-1 font-normal text-muted">({common('optional')})</span>
      </legend>
      {fields.map((field, index) => (
        <Row
          key={field.id}
          form={form}
          list={list}
          index={index}
          onRemove={() => {
            remove(index);
            document.getElementById(`${id}-add`)?.focus();
          }}
        />
      ))}
      <Button
        id={`${id}-add`}
        size="sm"
        className="self-start"
        onClick={() => append({ name: '', value: '' })}
      >
        <Plus aria-hidden />
        {t(`${list}.add`)}
      </Button>
      <p id={`${id}-help`} className={error ? 'text-xs text-danger' : 'text-xs text-muted'}>
        {error ?? help}
      </p>
    </fieldset>
  );
}

type RowProps = {
  form: ToolFormApi;
  list: 'headers' | 'secrets';
  index: number;
  onRemove: () => void;
};

function Row({ form, list, index, onRemove }: RowProps) {
  const { t } = useTranslation('tools');
  const message = useFieldMessage();
  const id = useId();
  const errors = form.formState.errors[list]?.[index];
  const [nameError, valueError] = [message(errors?.name), message(errors?.value)];
  const ValueInput = list === 'secrets' ? PasswordInput : Input;
  const name = form.watch(`${list}.${index}.name`);
  const wiring = (isInvalid: boolean) =>
    isInvalid ? { 'aria-invalid': true as const, 'aria-describedby': `${id}-below` } : {};
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-start gap-2">
        <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-[2fr_3fr]">
          <Input
            aria-label={t(`${list}.name`)}
            placeholder={t(`${list}.name`)}
            autoComplete="off"
            spellCheck={false}
            {...wiring(nameError !== undefined)}
            {...form.register(`${list}.${index}.name`)}
          />
          <ValueInput
            aria-label={t(`${list}.value`)}
            placeholder={t(`${list}.value`)}
            autoComplete={list === 'secrets' ? 'new-password' : 'off'}
            spellCheck={false}
            {...wiring(valueError !== undefined)}
            {...form.register(`${list}.${index}.value`)}
          />
        </div>
        <IconButton
          icon={X}
          label={t(`${list}.remove`, { name: name || index + 1 })}
          onClick={onRemove}
        />
      </div>
      {(nameError ?? valueError) && (
        <p id={`${id}-below`} className="text-xs text-danger">
          {nameError ?? valueError}
        </p>
      )}
    </div>
  );
}
