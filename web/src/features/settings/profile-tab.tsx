import { EmailAddress, Username } from '@tallyhand/contracts/features/identity/identity.fields';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { changedFields, useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { PasswordInput } from '../../ui/password-input.tsx';
import { useChangeProfileMutation } from '../identity/account.api.ts';
import { useCurrentUser } from '../identity/identity.api.ts';

const Profile = z.object({
  username: Username,
  email: EmailAddress,
  /** Asked for where the address is another. */
  currentPassword: z.string(),
});

export function ProfileTab() {
  const { t } = useTranslation('settings');
  const { t: common } = useTranslation('common');
  const { username, email, role } = useCurrentUser();
  const message = useFieldMessage();
  const form = useContractForm(Profile, { username, email, currentPassword: '' });
  const { errors, isDirty } = form.formState;
  const [change] = useChangeProfileMutation();
  const isMoving = form.watch('email').trim() !== email;
  const send = (profile: z.infer<typeof Profile>) => {
    const { currentPassword, ...changed } = changedFields(form, profile);
    if (isMoving && !currentPassword) {
      const error = { message: 'Please enter your password' };
      form.setError('currentPassword', error, { shouldFocus: true });
      return undefined;
    }
    return change({ ...changed, ...(currentPassword && { currentPassword }) });
  };
  const { submit, pending } = useSubmit(form, {
    send,
    done: t('profile.updated'),
    failed: t('profile.failed'),
    onDone: (saved) =>
      form.reset({ username: saved.username, email: saved.email, currentPassword: '' }),
  });
  return (
    <CardSection title={t('profile.title')} className="max-w-[560px]">
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <Field label={t('profile.username')} error={message(errors.username)} required>
          <Input autoComplete="nickname" {...form.register('username')} />
        </Field>
        <Field
          label={t('profile.email')}
          help={isMoving ? t('profile.emailHelp') : undefined}
          error={message(errors.email)}
          required
        >
          <Input type="email" autoComplete="email" {...form.register('email')} />
        </Field>
        {isMoving && (
          <Field
            label={t('profile.currentPassword')}
            error={message(errors.currentPassword)}
            required
          >
            <PasswordInput autoComplete="current-password" {...form.register('currentPassword')} />
          </Field>
        )}
        <Field label={t('profile.role')} help={t('profile.roleHelp')}>
          <Input readOnly value={common(`roles.${role}`)} />
        </Field>
        <Button
          type="submit"
          variant="primary"
          className="self-start"
          disabled={!isDirty}
          pending={pending}
          pendingLabel={t('saving')}
        >
          {t('profile.save')}
        </Button>
      </form>
    </CardSection>
  );
}
