import {
  NewPassword,
  PresentPassword,
} from '@tallyhand/contracts/features/identity/identity.fields';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { PasswordInput } from '../../ui/password-input.tsx';
import { showToast } from '../../ui/toast.ts';
import { useChangePasswordMutation } from '../identity/account.api.ts';
import { usePasswordHelp } from '../identity/use-password-help.tsx';

const Passwords = z.object({
  currentPassword: PresentPassword,
  newPassword: NewPassword,
  confirmPassword: z.string(),
});
const EMPTY = { currentPassword: '', newPassword: '', confirmPassword: '' };

function usePasswordChange() {
  const { t } = useTranslation('settings');
  const form = useContractForm(Passwords, EMPTY);
  const [change] = useChangePasswordMutation();
  const send = ({ confirmPassword, ...passwords }: z.infer<typeof Passwords>) => {
    if (confirmPassword === passwords.newPassword) return change(passwords);
    form.setFocus('confirmPassword');
    showToast({
      variant: 'destructive',
      title: t('password.mismatch'),
      description: t('password.mismatchDescription'),
    });
    return undefined;
  };
  const { submit, pending } = useSubmit(form, {
    send,
    done: { title: t('password.changed'), description: t('password.changedDescription') },
    failed: t('password.failed'),
    onDone: () => form.reset(EMPTY),
  });
  return { form, submit, pending };
}

export function PasswordCard() {
  const { t } = useTranslation('settings');
  const message = useFieldMessage();
  const { help, check } = usePasswordHelp();
  const { form, submit, pending } = usePasswordChange();
  const { errors } = form.formState;
  return (
    <CardSection title={t('password.title')}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <Field label={t('password.current')} error={message(errors.currentPassword)} required>
          <PasswordInput autoComplete="current-password" {...form.register('currentPassword')} />
        </Field>
        <Field label={t('password.new')} error={message(errors.newPassword)} help={help} required>
          <PasswordInput
            autoComplete="new-password"
            {...form.register('newPassword', { onBlur: (event) => check(event.target.value) })}
          />
        </Field>
        <Field label={t('password.confirm')} error={message(errors.confirmPassword)} required>
          <PasswordInput autoComplete="new-password" {...form.register('confirmPassword')} />
        </Field>
        <Button
          type="submit"
          variant="primary"
          className="self-start"
          pending={pending}
          pendingLabel={t('saving')}
        >
          {t('password.save')}
        </Button>
      </form>
    </CardSection>
  );
}
