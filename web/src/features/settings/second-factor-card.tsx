import {
  PresentPassword,
  SecondFactorCode,
} from '@tallyhand/contracts/features/identity/identity.fields';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { encode } from 'uqr';
import { z } from 'zod';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { LoadFailed } from '../../app/loaded.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { Dialog, DialogBody, DialogFooter, FormDialog } from '../../ui/dialog.tsx';
import { Field, Input, PasswordInput } from '../../ui/field.tsx';
import { CopyButton } from '../../ui/icon-button.tsx';
import { Skeleton } from '../../ui/loading.tsx';
import {
  useBeginSecondFactorMutation,
  useConfirmSecondFactorMutation,
  useGetSecondFactorQuery,
  useRemoveSecondFactorMutation,
} from '../identity/account.api.ts';

export function SecondFactorCard() {
  const { t } = useTranslation('settings');
  const { data, error, refetch } = useGetSecondFactorQuery();
  const [open, setOpen] = useState<'set-up' | 'remove'>();
  const close = () => setOpen(undefined);
  const isOn = Boolean(data?.enabledAt);
  return (
    <CardSection
      title={t('secondFactor.title')}
      actions={
        data && (
          <StatusBadge
            status={isOn ? 'success' : 'paused'}
            label={isOn ? t('secondFactor.on') : t('secondFactor.off')}
          />
        )
      }
    >
      {!data && error && <LoadFailed error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton className="h-16" />}
      {data && (
        <div className="flex flex-col items-start gap-3">
          <p className="text-muted">
            {isOn
              ? t('secondFactor.codesLeft', { count: data.recoveryCodesLeft })
              : t('secondFactor.description')}
          </p>
          <Button onClick={() => setOpen(isOn ? 'remove' : 'set-up')}>
            {isOn ? t('secondFactor.remove') : t('secondFactor.setUp')}
          </Button>
        </div>
      )}
      {open === 'set-up' && <SecondFactorDialog close={close} />}
      {open === 'remove' && <RemoveSecondFactorDialog close={close} />}
    </CardSection>
  );
}

type Begun = { secret: string; uri: string };

/** Password, then the first code of the authenticator, then recovery codes, which are shown once. */
function SecondFactorDialog({ close }: { close: () => void }) {
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
    send: begin,
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
    send: confirm,
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
    <Dialog close={close} title={t('secondFactor.codesTitle')}>
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

/** Dark on white in either theme: cameras expect it. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 2 });
  const dark = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-48 rounded-md border border-line"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  );
}

const Proof = z.object({ password: PresentPassword, code: SecondFactorCode });

function RemoveSecondFactorDialog({ close }: { close: () => void }) {
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
