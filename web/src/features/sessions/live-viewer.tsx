import type { LiveAction, LiveInput } from '@tallyhand/contracts/features/sessions/live.messages';
import type { Session } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { ADMINS, mayCall } from '@tallyhand/contracts/kernel/access';
import { ArrowLeft, Hand, Radio, Undo2, Unplug } from 'lucide-react';
import { type FormEvent, useCallback, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDispatch } from 'react-redux';
import { useAnnounce } from '../../app/announce.ts';
import { api } from '../../app/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { dateFormat, numberFormat } from '../../ui/formats.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Spinner } from '../../ui/loading.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { wholeAddress } from './browser-input.ts';
import { BrowserRegion } from './browser-region.tsx';
import { type LiveSocket, openLiveSocket } from './live-socket.ts';
import { frameRate, type LiveView, NOTHING_SEEN } from './live-view.ts';
import { mayControl } from './session-address.ts';
import { PageAddress, useActionName } from './session-steps.tsx';
import { useHandBackSessionMutation, useTakeOverSessionMutation } from './sessions.api.ts';

const SHORT_ID_LENGTH = 8;

/** The live browser of a session; the member who took over steers it here. */
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

/** The id of the user who steers, or null. The socket knows it first. */
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
  const badgeStatus = {
    connecting: { tone: 'neutral', icon: <Spinner /> },
    live: { tone: 'success', icon: <Radio aria-hidden /> },
    disconnected: { tone: 'danger', icon: <Unplug aria-hidden /> },
  } as const;
  const { tone, icon } = badgeStatus[connection];
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

/** The latest actions as they happen, the newest first. */
function LiveActions({ actions }: { actions: readonly LiveAction[] }) {
  const { t, i18n } = useTranslation('sessions');
  const nameOf = useActionName();
  // Two actions may be identical: their place is their key.
  const placed = actions.map((action, index) => ({ ...action, key: `${actions.length - index}` }));
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-xs text-muted">{t('live.actions')}</h3>
      {placed.length === 0 && <p className="text-muted">{t('live.noActions')}</p>}
      {placed.length > 0 && (
        <ol className="flex flex-col">
          {placed.map(({ key, action, timestamp, details }) => (
            <li key={key} className="flex gap-3 border-t border-line py-1.5 first:border-0">
              <time dateTime={timestamp} className="tabular text-xs leading-5 text-muted">
                {dateFormat(i18n.language, { timeStyle: 'medium' }).format(new Date(timestamp))}
              </time>
              <span className="min-w-0 break-words">
                <span className="font-medium">{nameOf(action)}</span>{' '}
                <span className="text-muted">{details}</span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** Who steers, and the buttons to take over or hand back for those who may. */
function SteerBar({ session, steers }: { session: Session; steers: string | null }) {
  const { t } = useTranslation('sessions');
  const user = useCurrentUser();
  const [takeOver, taking] = useTakeOverSessionMutation();
  const [handBack, handing] = useHandBackSessionMutation();
  const announce = useAnnounce();
  const mayTakeOver = steers === null && session.status === 'running' && mayControl(session, user);
  const mayHandBack = steers !== null && (steers === user.id || mayCall(user.role, ADMINS));
  const name =
    (session.takenOverBy?.id === steers && session.takenOverBy?.name) || t('steer.somebody');
  const words = () => {
    if (steers === null) return t('steer.agent');
    return steers === user.id ? t('steer.you') : t('steer.other', { name });
  };
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p role="status" className={steers === user.id ? 'font-medium' : 'text-muted'}>
        {words()}
      </p>
      {mayTakeOver && (
        <Button
          icon={Hand}
          size="sm"
          pending={taking.isLoading}
          onClick={() => announce(takeOver(session.id), { failed: t('toasts.takeOverFailed') })}
        >
          {t('steer.takeOver')}
        </Button>
      )}
      {mayHandBack && (
        <Button
          icon={Undo2}
          size="sm"
          variant="primary"
          pending={handing.isLoading}
          onClick={() => announce(handBack(session.id), { failed: t('toasts.handBackFailed') })}
        >
          {t('steer.handBack')}
        </Button>
      )}
    </div>
  );
}

type Send = (input: LiveInput) => boolean;

const KEYS = ['Tab', 'Enter', 'Backspace', 'Escape', 'PageUp', 'PageDown'] as const;

/** Pointer and keyboard control of the picture, for users with only one of them. */
function SteerFields({ url, send }: { url: string | null; send: Send }) {
  const { t } = useTranslation('sessions');
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <div className="grid gap-3 md:grid-cols-2">
        <OneLine
          key={url}
          label={t('steer.address')}
          start={url ?? ''}
          action={t('steer.open')}
          act={(typed) => send({ type: 'input', kind: 'open', url: wholeAddress(typed) })}
          before={
            <IconButton
              icon={ArrowLeft}
              label={t('steer.back')}
              onClick={() => send({ type: 'input', kind: 'back' })}
            />
          }
        />
        <OneLine
          label={t('steer.text')}
          help={t('steer.textHelp')}
          action={t('steer.type')}
          act={(text) => send({ type: 'input', kind: 'text', text })}
          isEmptied
        />
      </div>
      <fieldset className="flex flex-wrap gap-2">
        <legend className="sr-only">{t('steer.keys')}</legend>
        {KEYS.map((key) => (
          <Button key={key} size="sm" onClick={() => send({ type: 'input', kind: 'key', key })}>
            {t(`steer.key.${key}`)}
          </Button>
        ))}
      </fieldset>
    </div>
  );
}

/** A field with its button; Enter presses it. `isEmptied`: what was sent is gone from it. */
function OneLine({
  label,
  help,
  start = '',
  action,
  act,
  before,
  isEmptied,
}: {
  label: string;
  help?: string;
  start?: string;
  action: string;
  act: (value: string) => boolean;
  before?: React.ReactNode;
  isEmptied?: boolean;
}) {
  const id = useId();
  const [value, setValue] = useState(start);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (value === '') return;
    if (act(value) && isEmptied) setValue('');
  };
  return (
    <form onSubmit={submit} className="flex min-w-0 items-center gap-2">
      {before}
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <Input
        id={id}
        title={help}
        placeholder={label}
        autoComplete="off"
        maxLength={2_000}
        value={value}
        onChange={({ target }) => setValue(target.value)}
      />
      <Button type="submit">{action}</Button>
    </form>
  );
}

/** What a session's browser shows now, and how to send input to it. */
function useLiveView(sessionId: string) {
  const [view, setView] = useState<LiveView>(NOTHING_SEEN);
  const socket = useRef<LiveSocket>(undefined);
  const dispatch = useDispatch();
  useEffect(() => {
    setView(NOTHING_SEEN);
    const own = openLiveSocket(sessionId, setView);
    socket.current = own;
    return () => own.close();
  }, [sessionId]);
  const { status, control } = view;
  useEffect(() => {
    // The socket knows who steers, and the end, before the next poll of the list.
    if (status && control) dispatch(api.util.invalidateTags(['sessions']));
  }, [status, control, dispatch]);
  const send = useCallback((input: LiveInput) => socket.current?.send(input) ?? false, []);
  return { view, send };
}

/** The present time in milliseconds, each second. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
