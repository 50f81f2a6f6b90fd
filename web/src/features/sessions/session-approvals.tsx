import {
  decideSessionApproval,
  type SessionApproval,
  type SessionDetail,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { APPROVAL_NOTE_MAX } from '@tallyhand/contracts/features/tasks/approvals.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { Check, CircleCheck, CircleDashed, CircleX, X } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import type { ArgOf } from '../../app/base-query.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Textarea } from '../../ui/field.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { Arguments, CallFact } from '../tasks/waiting-call.tsx';
import { useDecideSessionApprovalMutation } from './sessions.api.ts';

type Approvals = Pick<SessionDetail, 'session' | 'approvals'>;

/** The call or form that a session waits with. Nothing for sessions that do not wait. */
export function WaitingApproval({ session, approvals }: Approvals) {
  const call = approvals.find(({ id }) => id === session.approvalId);
  return call ? <Waiting key={call.id} sessionId={session.id} call={call} /> : null;
}

type CallProps = { sessionId: string; call: SessionApproval };

function Waiting({ sessionId, call }: CallProps) {
  const { t } = useTranslation(['sessions', 'approvals']);
  const { role } = useCurrentUser();
  const id = useId();
  return (
    <article
      aria-labelledby={id}
      className="flex min-w-0 flex-col gap-4 rounded-lg border border-line bg-surface p-4"
    >
      <h3 id={id} className="text-base font-semibold break-words">
        {call.toolName} <span className="font-normal text-muted">·</span> <Operation of={call} />
      </h3>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3 sm:flex sm:flex-wrap sm:gap-x-8">
        <CallFact name={t('approvals:call.requested')}>
          <RelativeTime at={call.createdAt} />
        </CallFact>
        <CallFact name={t('approvals:call.expires')}>
          <RelativeTime at={call.expiresAt} />
        </CallFact>
      </dl>
      <Arguments text={call.arguments} />
      {mayCall(role, decideSessionApproval) ? (
        <Decide sessionId={sessionId} call={call} />
      ) : (
        <p className="text-muted">{t('approvals:call.forOthers')}</p>
      )}
    </article>
  );
}

function Operation({ of: { toolId, operation } }: { of: SessionApproval }) {
  const { t } = useTranslation('sessions');
  if (toolId === null) return <span className="font-normal">{t('approval.form')}</span>;
  return <span className="font-mono text-sm break-all">{operation}</span>;
}

type Decision = Omit<ArgOf<typeof decideSessionApproval>, 'id' | 'approvalId'>;

/** Approves the call as it is, or refuses it. */
function Decide({ sessionId, call }: CallProps) {
  const { t } = useTranslation(['sessions', 'approvals', 'common']);
  const announce = useAnnounce();
  const [decide, { isLoading, data: decided }] = useDecideSessionApprovalMutation();
  const [isRefusing, setRefusing] = useState(false);
  const [forRun, setForRun] = useState(false);
  const [note, setNote] = useState('');
  const send = async (body: Decision) => {
    if (isLoading) return;
    await announce(decide({ id: sessionId, approvalId: call.id, ...body }), {
      done: t(`approvals:toasts.${body.decision}`),
      failed: t('approvals:toasts.failed'),
    });
  };
  const refuse = () => {
    const said = note.trim();
    return send({ decision: 'refused', ...(said !== '' && { note: said }) });
  };
  // Until the session without it is there.
  if (decided) return <p className="text-muted">{t(`approvals:toasts.${decided.decision}`)}</p>;
  if (isRefusing) {
    return (
      <>
        <Field
          label={t('approvals:refusal.note')}
          hint={t('common:optional')}
          help={t('approval.help')}
        >
          <Textarea
            // What was pressed is gone.
            autoFocus
            rows={2}
            maxLength={APPROVAL_NOTE_MAX}
            value={note}
            onChange={({ target }) => setNote(target.value)}
          />
        </Field>
        <div className={buttonsClass}>
          <Button icon={X} variant="destructive" pending={isLoading} onClick={() => void refuse()}>
            {t('approvals:actions.refuse')}
          </Button>
          <Button variant="ghost" onClick={() => setRefusing(false)}>
            {t('approvals:actions.back')}
          </Button>
        </div>
      </>
    );
  }
  return (
    <>
      {call.toolId !== null && (
        <Checkbox label={t('approval.forRun')} checked={forRun} onCheckedChange={setForRun} />
      )}
      <div className={buttonsClass}>
        <Button
          icon={Check}
          variant="primary"
          pending={isLoading}
          onClick={() => void send({ decision: 'approved', forRun })}
        >
          {t('approvals:actions.approve')}
        </Button>
        <Button icon={X} onClick={() => setRefusing(true)}>
          {t('approvals:actions.refuse')}
        </Button>
      </div>
    </>
  );
}

/** Below one another on a phone, each as wide as it. */
const buttonsClass = 'flex flex-wrap gap-2 max-sm:flex-col';

/** The calls and forms that no longer wait: who decided, when and why. */
export function DecidedApprovals({ session, approvals }: Approvals) {
  const { t } = useTranslation('approvals');
  const others = approvals.filter(({ id }) => id !== session.approvalId);
  if (others.length === 0) return null;
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-medium">{t('decided.title')}</h3>
      <ul className="flex flex-col gap-2">
        {others.map((approval) => (
          <li key={approval.id}>
            <Decided approval={approval} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const icons = {
  approved: { icon: CircleCheck, className: 'text-success' },
  refused: { icon: CircleX, className: 'text-danger' },
  none: { icon: CircleDashed, className: 'text-muted' },
};

function Decided({ approval }: { approval: SessionApproval }) {
  const { t } = useTranslation(['sessions', 'approvals']);
  const { decision, decidedAt, decidedBy, toolName, changedArguments, note } = approval;
  const { icon: Icon, className } = icons[decision ?? 'none'];
  const outcome = () => {
    if (decision === null) return t('approval.lapsed');
    if (decidedBy === null) return t('approval.expired');
    const name = decidedBy.name ?? t('approvals:decided.formerMember');
    return t(`approvals:decided.${changedArguments === null ? decision : 'changed'}`, { name });
  };
  return (
    <div className="flex gap-2">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${className}`} />
      <div className="min-w-0 flex-1">
        <p className="break-words">
          {outcome()}
          {approval.forRun && `, ${t('approvals:decided.forRun')}`}
        </p>
        <p className="text-xs break-words text-muted">
          {toolName} · <Operation of={approval} />
          {decidedAt && (
            <>
              {' '}
              · <RelativeTime at={decidedAt} />
            </>
          )}
        </p>
        {note && <p className="mt-1 break-words whitespace-pre-wrap">{note}</p>}
        <details className="mt-1">
          <summary className="w-fit cursor-pointer rounded-sm text-xs text-muted">
            {t(
              changedArguments === null
                ? 'approvals:call.arguments'
                : 'approvals:decided.arguments',
            )}
          </summary>
          <Arguments text={changedArguments ?? approval.arguments} />
        </details>
      </div>
    </div>
  );
}
