import { PresentPassword } from '@tallyhand/contracts/features/identity/identity.fields';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { PasswordInput } from '../../ui/password-input.tsx';
import { useErasePersonMutation } from '../identity/account.api.ts';

const Password = z.object({ password: PresentPassword });

export function EraseCard() {
  const { t } = useTranslation('settings');
  const [isOpen, setOpen] = useState(false);
  return (
    <CardSection title={t('erase.title')}>
      <div className="flex flex-col items-start gap-3">
        <p className="text-muted">{t('erase.description')}</p>
        <Button variant="destructive" onClick={() => setOpen(true)}>
          {t('erase.open')}
        </Button>
      </div>
      {isOpen && <EraseDialog close={() => setOpen(false)} />}
    </CardSection>
  );
}

/** Nothing takes it back, so it asks for the password, and says what is lost. */
function EraseDialog({ close }: { close: () => void }) {
  const { t } = useTranslation('settings');
  const message = useFieldMessage();
  const form = useContractForm(Password, { password: '' });
  const [erase, { isLoading, isSuccess }] = useErasePersonMutation();
  const { submit } = useSubmit(form, {
    send: ({ password }) => (isSuccess ? undefined : erase(password)),
    failed: t('erase.failed'),
    onlyAtFields: true,
    // Leaving the page clears all that was cached.
    onDone: () => window.location.assign('/'),
  });
  return (
    <FormDialog
      title={t('erase.question')}
      description={t('erase.lost')}
      submit={submit}
      submitLabel={t('erase.confirm')}
      pending={isLoading || isSuccess}
      pendingLabel={t('saving')}
      close={close}
    >
      <Field
        label={t('profile.currentPassword')}
        error={message(form.formState.errors.password)}
        required
      >
        <PasswordInput autoComplete="current-password" {...form.register('password')} />
      </Field>
    </FormDialog>
  );
}
