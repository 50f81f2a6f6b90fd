import {
  PresentPassword,
  SecondFactorCode,
} from '@tallyhand/contracts/features/identity/identity.fields';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Input } from '../../ui/input.tsx';
import { PasswordInput } from '../../ui/password-input.tsx';
import {
  useBeginSecondFactorMutation,
  useConfirmSecondFactorMutation,
} from '../identity/account.api.ts';
import { QrCode } from './qr-code.tsx';

type Begun = { secret: string; uri: string };

/** Password, then the first code of the authenticator, then recovery codes, which are shown once. */
export function SecondFactorDialog({ close }: { close: () => void }) {
  const [begun, setBegun] = useState<Begun>();
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes) return <CodesStep codes={codes} close={close} />;
  if (begun) return <ConfirmStep begun={begun} onCodes={setCodes} close={close} />;
  return <PasswordStep onBegun={setBegun} close={close} />;
}

const Password = z.object({ password: PresentPassword });
const Code = z.object({ code: SecondFactorCode });

function PasswordStep({ onBegun, close }: { onBegun: (b: Begun) => void; close: () => void }) {
  const { t } = useTranslation('settings');
  const message = useFieldMessage();
  const form = useContractForm(Password, { password: '' });
  const [begin] = useBeginSecondFactorMutation();
  const { submit, pending } = useSubmit(form, {
    send: ({ password }) => begin(password),
    failed: t('secondFactor.failed'),
    onlyAtFields: true,
    onDone: onBegun,
  });
  return (
    <FormDialog
      title={t('secondFactor.setUp')}
      description={t('secondFactor.passwordFirst')}
      submit={submit}
      submitLabel={t('secondFactor.next')}
      pending={pending}
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

function ConfirmStep({
  begun: { secret, uri },
  onCodes,
  close,
}: {
  begun: Begun;
  onCodes: (codes: readonly string[]) => void;
  close: () => void;
}) {
  const { t } = useTranslation('settings');
  const message = useFieldMessage();
  const form = useContractForm(Code, { code: '' });
  const [confirm] = useConfirmSecondFactorMutation();
  const { submit, pending } = useSubmit(form, {
    send: ({ code }) => confirm(code),
    failed: t('secondFactor.failed'),
    onlyAtFields: true,
    onDone: ({ recoveryCodes }) => onCodes(recoveryCodes),
  });
  return (
    <FormDialog
      title={t('secondFactor.setUp')}
      description={t('secondFactor.scan')}
      submit={submit}
      submitLabel={t('secondFactor.turnOn')}
      pending={pending}
      pendingLabel={t('saving')}
      close={close}
    >
      <QrCode text={uri} label={t('secondFactor.qrCode')} />
      <p className="text-muted">{t('secondFactor.byHand')}</p>
      <p className="flex items-center gap-2 font-mono text-sm break-all">
        {secret}
        <CopyButton text={secret} label={t('secondFactor.copySecret')} />
      </p>
      <Field
        label={t('secondFactor.code')}
        help={t('secondFactor.codeHelp')}
        error={message(form.formState.errors.code)}
        required
      >
        <Input autoComplete="one-time-code" inputMode="numeric" {...form.register('code')} />
      </Field>
    </FormDialog>
  );
}

function CodesStep({ codes, close }: { codes: readonly string[]; close: () => void }) {
  const { t } = useTranslation('settings');
  return (
    <Dialog open onOpenChange={close} title={t('secondFactor.codesTitle')}>
      <DialogBody>
        <Banner tone="warning" title={t('secondFactor.codesOnce')}>
          {t('secondFactor.codesDescription')}
        </Banner>
        <ul className="grid grid-cols-2 gap-2 font-mono" aria-label={t('secondFactor.codesTitle')}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <span className="flex items-center gap-2 text-muted">
          <CopyButton text={codes.join('\n')} label={t('secondFactor.copyCodes')} />
          {t('secondFactor.copyCodes')}
        </span>
      </DialogBody>
      <DialogFooter>
        <Button variant="primary" onClick={close}>
          {t('secondFactor.kept')}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
