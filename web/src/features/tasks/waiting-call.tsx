import {
  APPROVAL_ARGUMENTS_MAX,
  APPROVAL_NOTE_MAX,
  decideApproval,
} from '@tallyhand/contracts/features/tasks/approvals.endpoints';
import type { Approval } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import type { BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import { Check, PencilLine, X } from 'lucide-react';
import { type ReactNode, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import type { ArgOf } from '../../app/base-query.ts';
import { asProblem } from '../../app/problem.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Textarea } from '../../ui/field.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { scrollable } from '../../ui/scrollable.ts';
import { RelativeTime } from '../../ui/time.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { type CallOwner, useDecideCallMutation } from './approvals.api.ts';
import { editedArguments, readableArguments } from './call-arguments.ts';

type Call = Pick<
  Approval,
  'id' | 'toolId' | 'toolName' | 'operation' | 'arguments' | 'step' | 'createdAt' | 'expiresAt'
>;

type WaitingCallProps = {
  of: CallOwner;
  call: Call;
  level?: 'h2' | 'h3';
  /** The only one on the page: its main button is the page's. */
  isOnly?: boolean;
  /** What else is known of it, as facts and below them. */
  facts?: ReactNode;
  children?: ReactNode;
  onDecided?: () => void;
};

/** A call of a tool that waits, and for those who may decide the buttons to do so. */
export function WaitingCall({
  of,
  call,
  level: Heading = 'h3',
  isOnly = false,
  facts,
  children,
  onDecided,
}: WaitingCallProps) {
  const { t } = useTranslation('approvals');
  const { role } = useCurrentUser();
  const id = useId();
  return (
    <article
      aria-labelledby={id}
      className="flex min-w-0 flex-col gap-4 rounded-lg border border-line bg-surface p-4"
    >
      <Heading id={id} className="text-base font-semibold break-words">
        {call.toolName} <span className="font-normal text-muted">·</span> <Operation of={call} />
      </Heading>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3 sm:flex sm:flex-wrap sm:gap-x-8">
        {facts}
        {call.step !== null && <CallFact name={t('call.step')}>{call.step}</CallFact>}
        <CallFact name={t('call.requested')}>
          <RelativeTime at={call.createdAt} />
        </CallFact>
        <CallFact name={t('call.expires')}>
          <RelativeTime at={call.expiresAt} />
        </CallFact>
      </dl>
      {children}
      {mayCall(role, decideApproval) ? (
        <Decide of={of} call={call} isOnly={isOnly} onDecided={onDecided} />
      ) : (
        <>
          <Arguments text={call.arguments} />
          <p className="text-muted">{t('call.forOthers')}</p>
        </>
      )}
    </article>
  );
}

/** A form has no operation of a tool. */
export function Operation({
  of: { toolId, operation },
}: {
  of: Pick<Call, 'toolId' | 'operation'>;
}) {
  const { t } = useTranslation('approvals');
  if (toolId === null) return <span className="font-normal">{t('call.form')}</span>;
  return <span className="font-mono text-sm break-all">{operation}</span>;
}

export function CallFact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="mt-0.5 break-words">{children}</dd>
    </div>
  );
}

/** All of them, as JSON. */
export function Arguments({ text }: { text: string }) {
  const { t } = useTranslation('approvals');
  return (
    <figure>
      <figcaption className="text-xs text-muted">{t('call.arguments')}</figcaption>
      <pre
        {...scrollable}
        dir="ltr"
        className="mt-1 max-h-80 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs break-words whitespace-pre-wrap"
      >
        {readableArguments(text)}
      </pre>
    </figure>
  );
}

const FURTHER = {
  task: 'actions.forRun',
  reply: 'actions.forReply',
  session: 'actions.forSession',
} as const;

/** Below one another on a phone, each as wide as it. */
const buttonsClass = 'flex flex-wrap gap-2 max-sm:flex-col';

type Decision = Omit<ArgOf<typeof decideApproval>, 'id' | 'approvalId'>;

/** Approves the call, as it is or with other arguments, or refuses it. */
function Decide({
  of,
  call,
  isOnly,
  onDecided,
}: Required<Pick<WaitingCallProps, 'of' | 'call' | 'isOnly'>> &
  Pick<WaitingCallProps, 'onDecided'>) {
  const { t, i18n } = useTranslation('approvals');
  const announce = useAnnounce();
  const [decide, { isLoading, data: decided }] = useDecideCallMutation();
  const [part, setPart] = useState<'choose' | 'change' | 'refuse'>('choose');
  const [forRun, setForRun] = useState(false);
  const [text, setText] = useState(() => readableArguments(call.arguments));
  const [note, setNote] = useState('');
  const [fault, setFault] = useState<string>();
  const field = useRef<HTMLDivElement>(null);
  const show = (next: typeof part) => {
    setPart(next);
    setFault(undefined);
  };
  const send = async (body: Decision) => {
    if (isLoading) return;
    const { error } = await announce(decide({ of, approvalId: call.id, ...body }), {
      done: t(`toasts.${body.decision}`),
      failed: t('toasts.failed'),
      onRefused: (refusal) => {
        const message = part === 'change' ? asProblem(refusal).errors[0]?.message : undefined;
        setFault(message);
        return message !== undefined;
      },
    });
    if (!error) onDecided?.();
  };
  const approve = (changed?: BodyOf<typeof decideApproval>['arguments']) =>
    send({ decision: 'approved', forRun, ...(changed && { arguments: changed }) });
  const refuse = () => {
    const said = note.trim();
    return send({ decision: 'refused', ...(said !== '' && { note: said }) });
  };
  const approveChanged = () => {
    const edited = editedArguments(text, call.arguments, APPROVAL_ARGUMENTS_MAX);
    if ('changed' in edited) {
      void approve(edited.changed as BodyOf<typeof decideApproval>['arguments']);
      return;
    }
    const max = numberFormat(i18n.language).format(APPROVAL_ARGUMENTS_MAX);
    setFault(t(`change.${edited.fault}`, { max }));
    field.current?.querySelector('textarea')?.focus();
  };
  // Until the list without it is there.
  if (decided) return <p className="text-muted">{t(`toasts.${decided.decision}`)}</p>;
  // A form is sent as it is shown, and once.
  const isForm = call.toolId === null;
  const forFurther = !isForm && (
    <Checkbox label={t(FURTHER[of.kind])} checked={forRun} onCheckedChange={setForRun} />
  );
  if (part === 'choose') {
    return (
      <>
        <Arguments text={call.arguments} />
        {forFurther}
        <div className={buttonsClass}>
          <Button
            icon={Check}
            variant={isOnly ? 'primary' : 'secondary'}
            pending={isLoading}
            onClick={() => void approve()}
          >
            {t('actions.approve')}
          </Button>
          {!isForm && (
            <Button icon={PencilLine} onClick={() => show('change')}>
              {t('actions.change')}
            </Button>
          )}
          <Button icon={X} onClick={() => show('refuse')}>
            {t('actions.refuse')}
          </Button>
        </div>
      </>
    );
  }
  return (
    <>
      {part === 'refuse' && <Arguments text={call.arguments} />}
      {/* No form of its own: a dialog may be the form around it. */}
      <div ref={field} className="flex flex-col gap-4">
        {part === 'change' ? (
          <Field label={t('call.arguments')} help={t('change.help')} error={fault} required>
            <Textarea
              // What was pressed is gone.
              autoFocus
              dir="ltr"
              rows={4}
              spellCheck={false}
              autoCapitalize="off"
              autoCorrect="off"
              className="font-mono"
              value={text}
              onChange={({ target }) => {
                setText(target.value);
                setFault(undefined);
              }}
            />
          </Field>
        ) : (
          <Field label={t('refusal.note')} hint={t('common:optional')} help={t('refusal.help')}>
            <Textarea
              autoFocus
              rows={2}
              maxLength={APPROVAL_NOTE_MAX}
              value={note}
              onChange={({ target }) => setNote(target.value)}
            />
          </Field>
        )}
        {part === 'change' && forFurther}
        <div className={buttonsClass}>
          <Button
            icon={part === 'change' ? Check : X}
            variant={part === 'refuse' ? 'destructive' : isOnly ? 'primary' : 'secondary'}
            pending={isLoading}
            onClick={part === 'change' ? approveChanged : () => void refuse()}
          >
            {part === 'change' ? t('actions.change') : t('actions.refuse')}
          </Button>
          <Button variant="ghost" onClick={() => show('choose')}>
            {t('actions.back')}
          </Button>
        </div>
      </div>
    </>
  );
}
