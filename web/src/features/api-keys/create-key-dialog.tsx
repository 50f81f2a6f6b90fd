import {
  ApiKeyInput,
  type NewApiKey,
} from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import { ROLES } from '@tallyhand/contracts/kernel/role';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Input } from '../../ui/input.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { useCreateApiKeyMutation } from './api-keys.api.ts';

const EXPIRIES = ['7', '30', '90', '365', 'never'] as const;
type Expiry = (typeof EXPIRIES)[number];
const DAY_MS = 86_400_000;

const endOf = (expiry: Expiry) =>
  expiry === 'never'
    ? {}
    : { expiresAt: new Date(Date.now() + Number(expiry) * DAY_MS).toISOString() };

/** Asks what the key is for, then shows it once. */
export function CreateKeyDialog({ close }: { close: () => void }) {
  const { t } = useTranslation('developers');
  const [made, setMade] = useState<NewApiKey>();
  if (!made) return <KeyForm close={close} onMade={setMade} />;
  return (
    <SecretDialog
      title={t('keys.ready')}
      description={t('keys.readyDescription', { name: made.name })}
      label={t('keys.key')}
      secret={made.key}
      copyLabel={t('keys.copy')}
      doneLabel={t('keys.done')}
      close={close}
    />
  );
}

function KeyForm({ close, onMade }: { close: () => void; onMade: (key: NewApiKey) => void }) {
  const { t } = useTranslation('developers');
  const { t: common } = useTranslation('common');
  const message = useFieldMessage();
  const form = useContractForm(ApiKeyInput, { name: '', role: 'Viewer' });
  const { errors } = form.formState;
  const [expiry, setExpiry] = useState<Expiry>('90');
  const [create] = useCreateApiKeyMutation();
  const submitting = useSubmit(form, {
    send: ({ name, role }) => create({ name, role, ...endOf(expiry) }),
    failed: t('toasts.keyFailed'),
    onDone: onMade,
  });
  return (
    <FormDialog
      title={t('keys.form.title')}
      description={t('keys.form.description')}
      {...submitting}
      submitLabel={t('keys.form.submit')}
      pendingLabel={t('keys.form.pending')}
      close={close}
    >
      <Field label={t('keys.name')} help={t('keys.nameHelp')} error={message(errors.name)} required>
        <Input autoComplete="off" {...form.register('name')} />
      </Field>
      <Field label={t('keys.role')} error={message(errors.role)}>
        <Select
          options={ROLES.map((value) => ({ value, label: common(`roles.${value}`) }))}
          {...form.register('role')}
        />
      </Field>
      <Field label={t('keys.form.expiry')}>
        <Select
          options={EXPIRIES.map((value) => ({ value, label: t(`keys.form.expiries.${value}`) }))}
          value={expiry}
          onChange={({ target }) => setExpiry(target.value as Expiry)}
        />
      </Field>
    </FormDialog>
  );
}
