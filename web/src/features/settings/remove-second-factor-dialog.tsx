import {
  PresentPassword,
  SecondFactorCode,
} from '@tallyhand/contracts/features/identity/identity.fields';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Input } from '../../ui/input.tsx';
import { PasswordInput } from '../../ui/password-input.tsx';
import { useRemoveSecondFactorMutation } from '../identity/account.api.ts';

const Proof = z.object({ password: PresentPassword, code: SecondFactorCode });

export function RemoveSecondFactorDialog({ close }: { close: () => void }) {
  const { t } = useTranslation('settings');
  const message = useFieldMessage();
  const form = useContractForm(Proof, { password: '', code: '' });
  const [remove] = useRemoveSecondFactorMutation();
  const { submit, pending } = useSubmit(form, {
    send: remove,
    done: t('secondFactor.removed'),
    failed: t('secondFactor.failed'),
    close,
  });
  const { errors } = form.formState;
  return (
    <FormDialog
      title={t('secondFactor.remove')}
      description={t('secondFactor.removeDescription')}
      submit={submit}
      submitLabel={t('secondFactor.remove')}
      pending={pending}
      pendingLabel={t('saving')}
      close={close}
    >
      <Field label={t('profile.currentPassword')} error={message(errors.password)} required>
        <PasswordInput autoComplete="current-password" {...form.register('password')} />
      </Field>
      <Field
        label={t('secondFactor.code')}
        help={t('secondFactor.anyCode')}
        error={message(errors.code)}
        required
      >
        <Input autoComplete="one-time-code" {...form.register('code')} />
      </Field>
    </FormDialog>
  );
}
