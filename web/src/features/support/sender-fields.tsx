import type { UseFormRegisterReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useFieldMessage } from '../../app/form.ts';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';

type Name = 'name' | 'email' | 'company';

type SenderFieldsProps = {
  register: (name: Name) => UseFormRegisterReturn;
  errors: { [N in Name]?: unknown };
};

/** Who writes; the same in every form that leads to us. */
export function SenderFields({ register, errors }: SenderFieldsProps) {
  const { t } = useTranslation('support');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('form.name')} error={message(errors.name)} required>
          <Input autoComplete="name" {...register('name')} />
        </Field>
        <Field label={t('form.email')} error={message(errors.email)} required>
          <Input type="email" autoComplete="email" {...register('email')} />
        </Field>
      </div>
      <Field label={t('form.company')} hint={common('optional')} error={message(errors.company)}>
        <Input autoComplete="organization" {...register('company')} />
      </Field>
    </>
  );
}
