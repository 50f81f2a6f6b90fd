import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { asProblem, describeProblem } from '../../app/problem.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { showToast } from '../../ui/toast.ts';
import { useMakeDeviceKnownMutation, useRequestDeviceLinkMutation } from './account.api.ts';

/** `reason`: why the sign-in has to wait, and for how long. */
type Throttled = { email: string; reason: string };

/** Failed attempts of others make this browser wait; a link by mail lets its owner in at once. */
export function DeviceLinkOffer({ email, reason }: Throttled) {
  const { t } = useTranslation('identity');
  const announce = useAnnounce();
  const [send, { isLoading }] = useRequestDeviceLinkMutation();
  const [sentTo, setSentTo] = useState<string>();
  if (sentTo === email) {
    return (
      <Banner tone="info" title={t('forgot.sent')}>
        {t('device.sent')}
      </Banner>
    );
  }
  const request = async () => {
    const { error } = await announce(send({ email }), { failed: t('forgot.failed') });
    if (!error) setSentTo(email);
  };
  return (
    <Banner tone="warning" title={reason}>
      <p className="mb-3">{t('device.offer')}</p>
      <Button size="sm" pending={isLoading} pendingLabel={t('pending')} onClick={request}>
        {t('forgot.send')}
      </Button>
    </Banner>
  );
}

/** The same where the server sends no mail: only its operator can make a link. */
export function OperatorLinkHint({ email, reason }: Throttled) {
  const { t } = useTranslation('identity');
  return (
    <Banner tone="warning" title={reason}>
      <p className="mb-3">{t('device.operator')}</p>
      <code className="break-all">{`npm run device-link -- ${email}`}</code>
    </Banner>
  );
}

/** Makes this browser known. */
export function DevicePanel({ token, onDone }: { token: string; onDone: () => void }) {
  const { t } = useTranslation('identity');
  const [makeKnown, { isLoading, error }] = useMakeDeviceKnownMutation();
  const confirm = async () => {
    const answer = await makeKnown({ token });
    if (answer.error) return;
    showToast({ title: t('device.done'), description: t('device.doneDescription') });
    onDone();
  };
  return (
    <LinkPanel
      failed={t('device.failed')}
      error={error}
      intro={t('device.intro')}
      label={t('device.confirm')}
      pending={isLoading}
      onConfirm={confirm}
    />
  );
}

type LinkPanelProps = {
  /** What a link from a mail does, and the verb for doing it. */
  intro: string;
  label: string;
  /** The title over `error`. */
  failed: string;
  error: unknown;
  pending: boolean;
  onConfirm: () => void;
};

/**
 * Asks before a link from a mail takes effect: programs that read mail open links too. A link that has
 * expired can't be tried again.
 */
export function LinkPanel({ intro, label, failed, error, pending, onConfirm }: LinkPanelProps) {
  const { t } = useTranslation('identity');
  const problem = error !== undefined && (
    <Banner tone="danger" title={failed}>
      {describeProblem(t, error)}
    </Banner>
  );
  if (problem && asProblem(error).code === 'link-not-valid') return problem;
  return (
    <div className="flex flex-col gap-4">
      {problem}
      <p className="text-muted">{intro}</p>
      <Button
        variant="primary"
        size="lg"
        className="text-sm"
        pending={pending}
        pendingLabel={t('pending')}
        onClick={onConfirm}
      >
        {label}
      </Button>
    </div>
  );
}
