import type {
  Session,
  SessionDetail,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import type { SessionStatus as Status } from '@tallyhand/contracts/features/sessions/sessions.fields';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailed } from '../../app/loaded.tsx';
import { asProblem } from '../../app/problem.ts';
import { describeSentence } from '../../app/sentence.ts';
import { type Status as Look, StatusBadge } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { Loading, Skeletons } from '../../ui/loading.tsx';
import { isOpen } from './session-address.ts';
import { useGetSessionQuery } from './sessions.api.ts';

type FollowedSession = {
  detail?: SessionDetail;
  error?: unknown;
  refetch: () => void;
  /** Session not found. */
  isMissing: boolean;
};

/** A session once it is loaded; until then its state. */
export function SessionState({
  of: { detail, error, refetch, isMissing },
  children,
}: {
  of: FollowedSession;
  children: (detail: SessionDetail) => ReactNode;
}) {
  const { t } = useTranslation('sessions');
  if (detail) return children(detail);
  if (isMissing) return <Banner tone="warning">{t('detail.notFound')}</Banner>;
  if (error) return <LoadFailed error={error} onRetry={refetch} />;
  return (
    <Loading label={t('detail.loading')} className="flex flex-col gap-3">
      <Skeletons count={6} className="h-6" />
    </Loading>
  );
}

const badgeStatus: Record<Status, Look> = {
  queued: 'waiting',
  running: 'running',
  completed: 'success',
  failed: 'failed',
  terminated: 'paused',
};

export function SessionStatus({
  session: { status, approvalId },
}: {
  session: Pick<Session, 'status' | 'approvalId'>;
}) {
  const { t } = useTranslation('sessions');
  if (approvalId !== null) return <StatusBadge status="waiting" label={t('approval.waits')} />;
  return <StatusBadge status={badgeStatus[status]} label={t(`statuses.${status}`)} />;
}

/** Why a session ended: its own words, or those of the kind of end. */
export function EndReason({ session }: { session: Session }) {
  const { t } = useTranslation('sessions');
  const { endReason, errorMessage, errorCode: code, errorParams: params } = session;
  if (errorMessage) return describeSentence(t, { code, params }, errorMessage);
  return endReason && t(`reasons.${endReason}`);
}

/** What a session found, in large type; next steps, and its totals. */
export function SessionOutcome({ session }: { session: Session }) {
  const { t, i18n } = useTranslation('sessions');
  const { finalOutcome } = session.workspaceData;
  if (!finalOutcome) return null;
  const { summary, keyFindings, nextSteps, totalSteps, totalCredits } = finalOutcome;
  return (
    <>
      {/* The summary of a failure repeats its reason. */}
      {session.status !== 'failed' && (
        <p className="max-w-[68ch] text-lg leading-7 break-words whitespace-pre-wrap">{summary}</p>
      )}
      <Sentences title={t('outcome.findings')} sentences={keyFindings} />
      <Sentences title={t('outcome.nextSteps')} sentences={nextSteps} />
      <dl className="flex flex-wrap gap-x-6 gap-y-1">
        <Total
          name={t('outcome.totalSteps')}
          value={numberFormat(i18n.language).format(totalSteps)}
        />
        <Total
          name={t('outcome.totalCredits')}
          value={numberFormat(i18n.language).format(totalCredits)}
        />
      </dl>
    </>
  );
}

function Sentences({ title, sentences }: { title: string; sentences: readonly string[] }) {
  if (sentences.length === 0) return null;
  // Two findings may be the same sentence; the list itself never changes.
  const numbered = sentences.map((sentence, index) => ({ sentence, key: `${index}` }));
  return (
    <div>
      <h3 className="text-xs text-muted">{title}</h3>
      <ul className="mt-1 flex list-disc flex-col gap-1 pl-4 text-base">
        {numbered.map(({ sentence, key }) => (
          <li key={key} className="max-w-[68ch] break-words">
            {sentence}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Total({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex items-baseline gap-2">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="tabular font-medium">{value}</dd>
    </div>
  );
}

/** Live changes announce most updates; polling finds the rest. */
export const FOLLOW_POLL_MS = 2_000;

/** A session and its steps, polled until it has ended. */
export function useFollowedSession(id: string | undefined): FollowedSession {
  const [hasEnded, setHasEnded] = useState(false);
  const { currentData, error, refetch } = useGetSessionQuery(id ?? '', {
    skip: id === undefined,
    pollingInterval: hasEnded ? 0 : FOLLOW_POLL_MS,
  });
  const isEnded = currentData !== undefined && !isOpen(currentData.session);
  useEffect(() => setHasEnded(isEnded), [isEnded]);
  // An address that is no id is refused with 422, which means the same to a person.
  const isMissing = error !== undefined && [404, 422].includes(asProblem(error).status);
  return { detail: currentData, error, refetch, isMissing };
}
