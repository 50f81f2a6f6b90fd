import {
  type LogStream,
  type LogStreaming,
  setLogStream,
} from '@tallyhand/contracts/features/audit/log-stream.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DeleteDialog } from '../../app/confirm-action.tsx';
import { NotLoaded } from '../../app/loaded.tsx';
import { type Status, StatusBadge } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { SecretDialog } from '../../ui/dialog.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { exactTime } from '../../ui/time.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useEndLogStreamMutation, useGetLogStreamQuery } from './audit.api.ts';
import { ReceiverForm } from './receiver-form.tsx';

/** Where the log is sent as it grows, and how far. */
export function LogStreamSection() {
  const { t } = useTranslation('audit');
  const { role } = useCurrentUser();
  if (!mayCall(role, setLogStream)) return null;
  return (
    <section className="flex flex-col gap-3">
      <h3 className="font-semibold">{t('stream.title')}</h3>
      <p className="-mt-1 max-w-[68ch] text-muted">{t('stream.description')}</p>
      <Content />
    </section>
  );
}

function Content() {
  const { t } = useTranslation('audit');
  const { currentData, error, refetch } = useLogStream();
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      {currentData?.stream && (
        <Running streaming={currentData} stream={currentData.stream} onSecret={setSecret} />
      )}
      {currentData?.stream === null && <ReceiverForm onSecret={setSecret} />}
      {!currentData && (
        <NotLoaded
          query={{ error, refetch }}
          label={t('stream.loading')}
          count={2}
          skeleton="h-14"
        />
      )}
      {secret !== null && (
        <SecretDialog
          title={t('stream.secret.title')}
          description={t('stream.secret.description')}
          label={t('stream.secret.label')}
          secret={secret}
          copyLabel={t('stream.secret.copy')}
          doneLabel={t('stream.secret.done')}
          close={() => setSecret(null)}
        />
      )}
    </>
  );
}

type Shown = { streaming: LogStreaming; stream: LogStream };
type State = 'current' | 'sending' | 'failing';

const badgeStatus: Record<State, Status> = {
  current: 'success',
  sending: 'running',
  failing: 'failed',
};

function stateOf({ stream, entries }: LogStreaming): State {
  if (stream?.failingSince) return 'failing';
  return stream && stream.delivered < entries ? 'sending' : 'current';
}

function Running({ onSecret, ...shown }: Shown & { onSecret: (secret: string | null) => void }) {
  const { t } = useTranslation('audit');
  const [open, setOpen] = useState<'replace' | 'end'>();
  const { stream } = shown;
  const close = () => setOpen(undefined);
  return (
    <>
      <Progress {...shown} />
      <Failure stream={stream} />
      {open === 'replace' ? (
        <ReceiverForm stream={stream} onSecret={onSecret} close={close} />
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button size="sm" onClick={() => setOpen('replace')}>
            {t('stream.replace.action')}
          </Button>
          <Button size="sm" onClick={() => setOpen('end')}>
            {t('stream.end.action')}
          </Button>
        </div>
      )}
      {open === 'end' && <EndDialog stream={stream} close={close} />}
    </>
  );
}

function Progress({ streaming, stream: { kind, address, delivered, deliveredAt } }: Shown) {
  const { t, i18n } = useTranslation('audit');
  const { format } = numberFormat(i18n.language);
  const state = stateOf(streaming);
  return (
    <div>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
        <span className="min-w-0 break-words">
          {t(`stream.kinds.${kind}`)} · {address}
        </span>
        <StatusBadge status={badgeStatus[state]} label={t(`stream.states.${state}`)} />
      </p>
      <p className="mt-1 tabular text-xs text-muted">
        {t('stream.sent', { sent: format(delivered), entries: format(streaming.entries) })}
        {' · '}
        {deliveredAt
          ? t('stream.last', { time: exactTime(deliveredAt, i18n.language) })
          : t('stream.never')}
      </p>
    </div>
  );
}

function Failure({ stream: { failingSince, failure, nextAttemptAt } }: { stream: LogStream }) {
  const { t, i18n } = useTranslation('audit');
  if (!failingSince) return null;
  const since = exactTime(failingSince, i18n.language);
  return (
    <Banner tone="warning" title={t('stream.failing', { time: since })}>
      <span className="break-words">{failure}</span>
      {nextAttemptAt && (
        <span className="block text-xs">
          {t('stream.next', { time: exactTime(nextAttemptAt, i18n.language) })}
        </span>
      )}
    </Banner>
  );
}

function EndDialog({ stream: { address }, close }: { stream: LogStream; close: () => void }) {
  const { t } = useTranslation('audit');
  const [end] = useEndLogStreamMutation();
  return (
    <DeleteDialog
      title={t('stream.end.title')}
      description={t('stream.end.description', { address })}
      confirmLabel={t('stream.end.confirm')}
      remove={() => end()}
      deleted={{ done: t('stream.end.done'), failed: t('stream.end.failed') }}
      close={close}
    />
  );
}

const POLL_MS = 3_000;

/** The stream, fetched repeatedly until the receiver has accepted everything. */
function useLogStream() {
  const [following, setFollowing] = useState(false);
  const query = useGetLogStreamQuery(undefined, {
    refetchOnMountOrArgChange: true,
    pollingInterval: following ? POLL_MS : 0,
  });
  const { currentData } = query;
  // The entry that records a new stream may not be counted yet.
  const isBehind =
    !!currentData?.stream &&
    (stateOf(currentData) !== 'current' || currentData.stream.deliveredAt === null);
  useEffect(() => setFollowing(isBehind), [isBehind]);
  return query;
}
