import {
  type Device,
  downloadOwnData,
  type SignIn,
  type SignInRecord,
} from '@tallyhand/contracts/features/identity/account.endpoints';
import {
  NewPassword,
  PresentPassword,
} from '@tallyhand/contracts/features/identity/identity.fields';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useAnnounce } from '../../app/announce.ts';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { NotLoaded } from '../../app/loaded.tsx';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field, PasswordInput } from '../../ui/field.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import {
  useChangePasswordMutation,
  useEndOtherSignInsMutation,
  useEndSignInMutation,
  useErasePersonMutation,
  useListSignInHistoryQuery,
  useListSignInsQuery,
} from '../identity/account.api.ts';
import { usePasswordHelp } from '../identity/sign-up-form.tsx';
import { SecondFactorCard } from './second-factor-card.tsx';

export function SecurityTab() {
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-6">
        <PasswordCard />
        <SecondFactorCard />
        <OwnDataCard />
        <EraseCard />
      </div>
      <div className="flex min-w-0 flex-col gap-6">
        <SignInsCard />
        <SignInHistoryCard />
      </div>
    </div>
  );
}

const Password = z.object({ password: PresentPassword });

function OwnDataCard() {
  const { t } = useTranslation('settings');
  return (
    <CardSection title={t('ownData.title')}>
      <div className="flex flex-col items-start gap-3">
        <p className="text-muted">{t('ownData.description')}</p>
        <ButtonLink icon={Download} href={downloadOwnData.path} download="my-data.json">
          {t('ownData.download')}
        </ButtonLink>
      </div>
    </CardSection>
  );
}

function EraseCard() {
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
    send: (confirmed) => (isSuccess ? undefined : erase(confirmed)),
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

const Passwords = z
  .object({
    currentPassword: PresentPassword,
    newPassword: NewPassword,
    confirmPassword: z.string(),
  })
  .refine(({ newPassword, confirmPassword }) => newPassword === confirmPassword, {
    path: ['confirmPassword'],
    message: "Passwords don't match",
  });
const EMPTY = { currentPassword: '', newPassword: '', confirmPassword: '' };

function usePasswordChange() {
  const { t } = useTranslation('settings');
  const form = useContractForm(Passwords, EMPTY);
  const [change] = useChangePasswordMutation();
  const { submit, pending } = useSubmit(form, {
    send: ({ confirmPassword, ...passwords }) => change(passwords),
    onInvalid: ({ confirmPassword }) =>
      confirmPassword && {
        title: t('password.mismatch'),
        description: t('password.mismatchDescription'),
      },
    done: { title: t('password.changed'), description: t('password.changedDescription') },
    failed: t('password.failed'),
    onDone: () => form.reset(EMPTY),
  });
  return { form, submit, pending };
}

function PasswordCard() {
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

const SHOWN_AT_FIRST = 5;
const LOOKS = { 'signed-in': 'success', 'signed-out': 'paused', failed: 'failed' } as const;

function SignInHistoryCard() {
  const { t } = useTranslation('settings');
  const { data: records, error, refetch } = useListSignInHistoryQuery();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? records : records?.slice(0, SHOWN_AT_FIRST);
  return (
    <CardSection title={t('history.title')}>
      {!records && (
        <NotLoaded
          query={{ error, refetch }}
          label={t('history.loading')}
          count={3}
          skeleton="h-10"
        />
      )}
      <ul className="divide-y divide-line">
        {shown?.map((record) => (
          <RecordRow key={record.id} record={record} />
        ))}
      </ul>
      {records && records.length > SHOWN_AT_FIRST && !isWhole && (
        <Button size="sm" className="mt-2" onClick={() => setWhole(true)}>
          {t('history.showAll', { count: records.length })}
        </Button>
      )}
    </CardSection>
  );
}

function RecordRow({ record }: { record: SignInRecord }) {
  const { t } = useTranslation('settings');
  const { at, kind, device, address, count } = record;
  return (
    <li className="flex items-center justify-between gap-3 py-2">
      <div className="min-w-0">
        <StatusBadge status={LOOKS[kind]} label={t(`history.${kind}`)} />
        <p className="mt-1 text-xs break-words text-muted">
          {kind === 'signed-in' && <DeviceName device={device} />}
          {kind === 'signed-in' && address && ' · '}
          {address}
          {count > 1 && ` · ${t('history.times', { count })}`}
        </p>
      </div>
      <span className="text-xs text-muted">
        <RelativeTime at={at} />
      </span>
    </li>
  );
}

function SignInsCard() {
  const { t } = useTranslation('settings');
  const { data: signIns, error, refetch } = useListSignInsQuery();
  const [endOthers, { isLoading }] = useEndOtherSignInsMutation();
  const announce = useAnnounce();
  return (
    <CardSection
      title={t('signIns.title')}
      actions={
        signIns &&
        signIns.length > 1 && (
          <Button
            size="sm"
            pending={isLoading}
            onClick={() =>
              announce(endOthers(), {
                done: t('signIns.othersEnded'),
                failed: t('signIns.failed'),
              })
            }
          >
            {t('signIns.endOthers')}
          </Button>
        )
      }
    >
      {!signIns && (
        <NotLoaded
          query={{ error, refetch }}
          label={t('signIns.loading')}
          count={2}
          skeleton="h-12"
        />
      )}
      {signIns && (
        <ul className="divide-y divide-line">
          {signIns.map((signIn) => (
            <SignInRow key={signIn.id} signIn={signIn} />
          ))}
        </ul>
      )}
    </CardSection>
  );
}

function SignInRow({ signIn }: { signIn: SignIn }) {
  const { t } = useTranslation('settings');
  const [end, { isLoading }] = useEndSignInMutation();
  const announce = useAnnounce();
  const { id, device, address, startedAt, lastSeenAt, isCurrent } = signIn;
  return (
    <li className="flex items-center justify-between gap-3 py-3">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <DeviceName device={device} />
          {isCurrent && <Badge tone="accent">{t('signIns.current')}</Badge>}
        </p>
        <p className="text-xs break-words text-muted">
          {address && <span>{address} · </span>}
          {t('signIns.started')} <RelativeTime at={startedAt} /> · {t('signIns.seen')}{' '}
          <RelativeTime at={lastSeenAt} />
        </p>
      </div>
      {!isCurrent && (
        <Button
          size="sm"
          pending={isLoading}
          onClick={() =>
            announce(end(id), { done: t('signIns.ended'), failed: t('signIns.failed') })
          }
        >
          {t('signIns.end')}
        </Button>
      )}
    </li>
  );
}

/** What a browser is called, in words. */
function DeviceName({ device: { browser, system } }: { device: Device }) {
  const { t } = useTranslation('settings');
  if (browser && system) return t('device.both', { browser, system });
  return browser ?? system ?? t('device.unknown');
}
