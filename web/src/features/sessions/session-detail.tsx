import { addUsage } from '@tallyhand/contracts/features/models/add-usage';
import type { ModelUsage } from '@tallyhand/contracts/features/models/model-usage';
import {
  exportSession,
  type Session,
  type SessionDetail,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import {
  ArrowLeft,
  CircleStop,
  Clapperboard,
  Download,
  MonitorPlay,
  MousePointerClick,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmAction } from '../../app/confirm-action.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ShortId } from '../../ui/icon-button.tsx';
import { ExactTime } from '../../ui/time.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { UsageLines } from '../models/usage-lines.tsx';
import { DecidedApprovals } from '../tasks/task-approvals.tsx';
import { WaitingCall } from '../tasks/waiting-call.tsx';
import { isOpen, mayControl, type Open } from './session-address.ts';
import {
  EndReason,
  SessionOutcome,
  SessionState,
  SessionStatus,
  useFollowedSession,
} from './session-state.tsx';
import { SessionSteps } from './session-steps.tsx';
import { useTerminateSessionMutation } from './sessions.api.ts';
import { progressOf } from './steps.ts';

/** The chosen session. `isAlone`: it replaces the list. */
export function SessionDetailPanel({
  id,
  open,
  isAlone,
}: {
  id: string | undefined;
  open: Open;
  isAlone: boolean;
}) {
  const { t } = useTranslation('sessions');
  const session = useFollowedSession(id);
  return (
    <section aria-label={t('detail.label')} className="flex min-w-0 flex-col gap-3">
      {isAlone && (
        <Button
          icon={ArrowLeft}
          variant="ghost"
          className="-ml-4 self-start"
          onClick={() => open({})}
        >
          {t('detail.back')}
        </Button>
      )}
      <Card className="flex flex-col gap-4">
        {id === undefined ? (
          <p className="flex flex-col items-center gap-3 py-16 text-center text-muted">
            <MousePointerClick aria-hidden className="size-6" />
            {t('detail.none')}
          </p>
        ) : (
          <SessionState of={session}>
            {(detail) => <Details detail={detail} open={open} />}
          </SessionState>
        )}
      </Card>
    </section>
  );
}

function Details({
  detail: { session, approvals, steps },
  open,
}: {
  detail: SessionDetail;
  open: Open;
}) {
  const { t } = useTranslation('sessions');
  const { endReason, status } = session;
  const waiting = approvals.find(({ id }) => id === session.approvalId);
  return (
    <>
      <Head session={session} hasSteps={steps.length > 0} open={open} />
      {waiting && (
        <WaitingCall
          key={waiting.id}
          of={{ kind: 'session', id: session.id }}
          call={waiting}
          isOnly
        />
      )}
      {status === 'failed' && (
        <Banner tone="danger" title={t('outcome.failed')}>
          <EndReason session={session} />
        </Banner>
      )}
      {status !== 'failed' && endReason && endReason !== 'goal-reached' && (
        <Banner tone="info">
          <EndReason session={session} />
        </Banner>
      )}
      {session.workspaceData.finalOutcome && (
        <section className="flex flex-col gap-3">
          <h2 className="sr-only">{t('outcome.title')}</h2>
          <SessionOutcome session={session} />
        </section>
      )}
      <Facts session={session} steps={steps} />
      <SessionSteps session={session} steps={steps} />
      <DecidedApprovals approvals={approvals.filter((one) => one !== waiting)} />
    </>
  );
}

function Head({ session, hasSteps, open }: { session: Session; hasSteps: boolean; open: Open }) {
  const { t } = useTranslation('sessions');
  const { id } = session;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <SessionStatus session={session} />
        <span className="tabular text-muted">{t('list.step', progressOf(session))}</span>
      </div>
      <div>
        <h2 className="text-xs text-muted">{t('detail.goal')}</h2>
        <p className="text-base font-semibold break-words whitespace-pre-wrap">
          {session.originalGoal}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button icon={MonitorPlay} size="sm" onClick={() => open({ session: id, view: 'browser' })}>
          {t('list.viewBrowser')}
        </Button>
        {hasSteps && (
          <>
            <Button
              icon={Clapperboard}
              size="sm"
              onClick={() => open({ session: id, replay: '1' })}
            >
              {t('detail.replay')}
            </Button>
            <ExportLink id={id} />
          </>
        )}
        <TerminateButton session={session} />
      </div>
    </>
  );
}

/** All steps with their pictures, as one file. */
export function ExportLink({ id }: { id: string }) {
  const { t } = useTranslation('sessions');
  return (
    <ButtonLink size="sm" icon={Download} href={pathOf(exportSession, { id })} download>
      {' '}
      {t('detail.export')}
    </ButtonLink>
  );
}

function Facts({ session, steps }: Pick<SessionDetail, 'session' | 'steps'>) {
  const { t } = useTranslation('sessions');
  const { startedAt, endedAt, model, context } = session;
  const usage = steps.reduce<readonly ModelUsage[]>((all, step) => addUsage(all, step.usage), []);
  return (
    <dl className="grid gap-4 sm:grid-cols-2">
      {context && (
        <Fact name={t('detail.context')} wide>
          <span className="whitespace-pre-wrap">{context}</span>
        </Fact>
      )}
      <Fact name={t('detail.agent')}>{session.agentName ?? t('unknownAgent')}</Fact>
      <Fact name={t('detail.requestedBy')}>{session.requestedBy.name ?? t('formerMember')}</Fact>
      <Fact name={t('detail.created')}>
        <ExactTime at={session.createdAt} />
      </Fact>
      {startedAt && (
        <Fact name={t('detail.started')}>
          <ExactTime at={startedAt} />
        </Fact>
      )}
      {endedAt && (
        <Fact name={t('detail.ended')}>
          <ExactTime at={endedAt} />
        </Fact>
      )}
      {model && <Fact name={t('detail.model')}>{model}</Fact>}
      {usage.length > 0 && (
        <Fact name={t('detail.usage')}>
          <UsageLines usage={usage} />
        </Fact>
      )}
      <Fact name={t('start.steps')}>
        {t('detail.maxSteps', { max: session.maxSteps })}
        {session.freeSteps > 0 && ` + ${t('detail.freeSteps', { count: session.freeSteps })}`}
      </Fact>
      <Fact name={t('detail.credits')}>
        <span className="tabular">{t('list.credits', { count: session.totalCreditsUsed })}</span>
      </Fact>
      <Fact name={t('detail.id')}>
        <ShortId id={session.id} copyLabel={t('detail.copyId')} />
      </Fact>
    </dl>
  );
}

function Fact({ name, wide, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? 'min-w-0 sm:col-span-2' : 'min-w-0'}>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="mt-0.5 break-words">{children}</dd>
    </div>
  );
}

/** Asks, then ends a session that is queued or running; nothing for users who may not. */
export function TerminateButton({ session }: { session: Session }) {
  const { t } = useTranslation('sessions');
  const user = useCurrentUser();
  const [asking, setAsking] = useState(false);
  const [terminate] = useTerminateSessionMutation();
  const mayEnd = isOpen(session) && mayControl(session, user);
  return (
    <>
      {mayEnd && (
        <Button
          icon={CircleStop}
          size="sm"
          aria-label={t('list.terminateOf', { goal: session.originalGoal })}
          onClick={() => setAsking(true)}
        >
          {t('list.terminate')}
        </Button>
      )}
      {asking && (
        <ConfirmAction
          title={t('terminate.title')}
          description={t('terminate.description')}
          confirmLabel={t('terminate.confirm')}
          cancelLabel={t('terminate.keep')}
          run={() => terminate(session.id)}
          announcement={{ done: t('toasts.terminated'), failed: t('toasts.terminateFailed') }}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}
