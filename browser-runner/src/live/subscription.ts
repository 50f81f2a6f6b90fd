import type {
  LiveControl,
  LiveInput,
  LiveMessage,
} from '@tallyhand/contracts/features/sessions/live.messages';
import type { Authorize, Authorized, Denied } from './authorize.ts';
import {
  ACTIONS_MAX,
  type HeldState,
  type InputAnswer,
  type LiveFrame,
  type LiveHub,
} from './live-hub.ts';
import type { Outbox } from './outbox.ts';

export const RECHECK_MS = 4_000;
/** How long a viewer may continue while the right to watch cannot be checked. */
const UNSURE_MS_MAX = 15_000;

export type SubscriptionOptions = {
  readonly hub: LiveHub;
  readonly authorize: Authorize;
  readonly cookie: string;
  readonly authorized: Authorized;
  readonly outbox: Outbox;
  readonly recheckMs: number;
  /** The right to watch is gone. */
  readonly onDenied: (why: Denied) => void;
  /** Another runner holds the session now. */
  readonly onMoved: (address: string) => void;
  readonly ownAddress: string;
};

export type Subscription = Disposable & {
  input(input: LiveInput): InputAnswer;
};

/**
 * One viewer of one session: first the current state, then all events, as long as access is
 * allowed.
 */
export function subscribe(options: SubscriptionOptions): Subscription {
  const { hub, authorize, cookie, authorized, outbox, recheckMs } = options;
  const { sessionId, personId } = authorized;
  let sent = { status: authorized.status, control: authorized.control };
  let early: LiveFrame | null = null;
  let isTold = false;
  let isOver = false;
  let isChecking = false;
  let isCheckWanted = false;
  let sureAt = performance.now();

  const watching = hub.watch(sessionId, {
    onFrame(frame) {
      if (isTold) outbox.offer(frame);
      else early = frame;
    },
    onAction: (action) => outbox.send({ type: 'action', ...action }),
    onChange: () => void check(),
  });

  /** One at a time; requests in between cause one more. */
  async function check() {
    isCheckWanted = true;
    if (isChecking) return;
    isChecking = true;
    while (isCheckWanted && !isOver) {
      isCheckWanted = false;
      take(await authorize(cookie, sessionId, false));
    }
    isChecking = false;
  }

  function take(answer: Authorized | Denied) {
    if (isOver) return;
    if (typeof answer === 'string') {
      const isUnsure = answer === 'unavailable' && performance.now() - sureAt < UNSURE_MS_MAX;
      if (!isUnsure) options.onDenied(answer);
      return;
    }
    sureAt = performance.now();
    const { status, control, runnerAddress } = answer;
    if (status !== sent.status || !isSame(control, sent.control)) {
      sent = { status, control };
      outbox.send({ type: 'state', ...sent });
    }
    const isElsewhere = runnerAddress !== null && runnerAddress !== options.ownAddress;
    if (isElsewhere && watching.held() === null) options.onMoved(runnerAddress);
  }

  outbox.send(initialState(authorized, watching.held()));
  isTold = true;
  if (early) outbox.offer(early);
  const timer = setInterval(() => void check(), recheckMs);
  return {
    input: (input) => hub.input(sessionId, personId, input),
    [Symbol.dispose]() {
      isOver = true;
      clearInterval(timer);
      watching[Symbol.dispose]();
    },
  };
}

/** The stored state, and the newer local one. */
function initialState(
  { sessionId, status, control, state }: Authorized,
  held: HeldState | null,
): LiveMessage {
  const kept = state?.actions ?? [];
  const older = held ? kept.filter(({ timestamp }) => timestamp < held.heldSince) : kept;
  const actions = [...older, ...(held?.actions ?? [])].slice(-ACTIONS_MAX);
  const stored = {
    screenshot: state?.screenshot ?? null,
    url: state?.url ?? null,
    title: state?.title ?? null,
    timestamp: state?.timestamp ?? new Date().toISOString(),
  };
  const frame = held?.frame && {
    url: held.frame.frame.url,
    title: held.frame.frame.title,
    screenshot: held.frame.screenshot(),
    timestamp: held.frame.frame.at.toISOString(),
  };
  return { type: 'initial_state', sessionId, status, control, actions, ...(frame ?? stored) };
}

const isSame = (one: LiveControl, other: LiveControl) =>
  one.by === other.by && one.personId === other.personId;
