import type { Session } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { Radio, Unplug } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Badge } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { Spinner } from '../../ui/spinner.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { BrowserRegion } from './browser-region.tsx';
import { LiveActions } from './live-actions.tsx';
import { frameRate, type LiveView } from './live-view.ts';
import { PageAddress } from './page-address.tsx';
import { SteerBar } from './steer-bar.tsx';
import { SteerFields } from './steer-fields.tsx';
import { useLiveView, useNow } from './use-live-view.ts';

const SHORT_ID_LENGTH = 8;

/** The browser of a session as it is now; whoever took it over steers it here. */
export function LiveViewer({
  session,
  browserSessionId,
}: {
  session: Session;
  browserSessionId: string;
}) {
  const { t } = useTranslation('sessions');
  const { view, send } = useLiveView(browserSessionId);
  const { id } = useCurrentUser();
  const steers = steeredBy(view, session);
  const isMine = steers === id && view.connection === 'live';
  return (
    <section aria-label={t('live.label')} className="flex flex-col gap-3">
      <SteerBar session={session} steers={steers} />
      <div className="overflow-hidden rounded-lg border border-line">
        <ViewerHead view={view} />
        <BrowserRegion view={view} send={isMine ? send : undefined} />
        <ViewerFoot view={view} id={browserSessionId} />
      </div>
      {view.error && <Refusal error={view.error} />}
      {isMine && <SteerFields url={view.url} send={send} />}
      <LiveActions actions={view.actions} />
    </section>
  );
}

/** The id of the person who steers, or null: the socket knows it first. */
function steeredBy({ control }: LiveView, { takenOverBy }: Session): string | null {
  if (control) return control.by === 'person' ? control.personId : null;
  return takenOverBy?.id ?? null;
}

function Refusal({ error: { code, message } }: { error: NonNullable<LiveView['error']> }) {
  const { t } = useTranslation('sessions');
  const words = t(`live.errors.${code}` as 'live.errors.not-found', { defaultValue: message });
  return <Banner tone="warning">{words}</Banner>;
}

function ViewerHead({ view }: { view: LiveView }) {
  const { t } = useTranslation('sessions');
  return (
    <div className="flex items-center gap-3 border-b border-line bg-surface px-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium" title={view.title ?? undefined}>
          {view.title || t('live.untitled')}
        </p>
        {view.url && <PageAddress label={t('steps.page')} url={view.url} />}
      </div>
      <Connection connection={view.connection} />
    </div>
  );
}

function Connection({ connection }: Pick<LiveView, 'connection'>) {
  const { t } = useTranslation('sessions');
  const looks = {
    connecting: { tone: 'neutral', icon: <Spinner /> },
    live: { tone: 'success', icon: <Radio aria-hidden /> },
    disconnected: { tone: 'danger', icon: <Unplug aria-hidden /> },
  } as const;
  const { tone, icon } = looks[connection];
  return (
    <span role="status">
      <Badge tone={tone}>
        {icon}
        {t(`live.${connection}`)}
      </Badge>
    </span>
  );
}

function ViewerFoot({ view, id }: { view: LiveView; id: string }) {
  const { t, i18n } = useTranslation('sessions');
  const now = useNow();
  const { updatedAt, connection } = view;
  const rate = frameRate(view, now);
  const words = () => {
    if (connection === 'connecting') return t('live.connecting');
    if (connection === 'disconnected') return t('live.lost');
    if (rate === 0) return t('live.still');
    const shown = numberFormat(i18n.language, { maximumFractionDigits: 1 }).format(rate);
    return t('live.rate', { rate: shown });
  };
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 border-t border-line bg-surface px-3 py-2 text-xs text-muted">
      <span className="tabular">{words()}</span>
      {updatedAt !== null && (
        <span className="tabular">
          {t('live.updated', { count: Math.max(0, Math.floor((now - updatedAt) / 1_000)) })}
        </span>
      )}
      <code className="font-mono" title={id}>
        {t('live.id', { id: id.slice(0, SHORT_ID_LENGTH) })}
      </code>
    </div>
  );
}
