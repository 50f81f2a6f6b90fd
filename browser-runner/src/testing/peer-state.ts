import type { LiveAction, LiveControl } from '@tallyhand/contracts/features/sessions/live.messages';
import type {
  Assignment,
  StepReport,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import type { SessionStatus } from '@tallyhand/contracts/features/sessions/sessions.fields';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { AGENT } from './session.ts';

export type PeerSession = {
  readonly sessionId: string;
  status: SessionStatus;
  control: LiveControl;
  runnerAddress: string | null;
  readonly actions: LiveAction[];
  /** Cookies of those who may watch, and who they are. */
  readonly viewers: Map<string, string>;
};

type Held = { sessionId: string; control: string; personId?: string | null };

/** What a command service of a test's own knows. */
export type PeerState = ReturnType<typeof peerState>;

export function peerState() {
  const waiting: Assignment[] = [];
  const listeners = new Set<() => void>();
  const sessions = new Map<string, PeerSession>();
  const wake = () => {
    for (const listener of [...listeners]) listener();
  };
  const add = (changes: Partial<PeerSession> = {}) => {
    const session: PeerSession = {
      sessionId: newId(),
      status: 'running',
      control: AGENT,
      runnerAddress: null,
      actions: [],
      viewers: new Map(),
      ...changes,
    };
    sessions.set(session.sessionId, session);
    return session;
  };

  return {
    sessions,
    steps: [] as StepReport[],
    personSteps: [] as StepReport[],
    ends: [] as { reason: string; error: string | null }[],
    /** What the last poll of each runner said. */
    polls: new Map<string, { free: number; held: Held[] }>(),
    /** Cookies without a sign-in count for nothing. */
    signedIn: new Set<string>(),
    /** Called when there may be something new for a runner. */
    listeners,
    add,
    /** Given to the next runner that has room. */
    assign(assignment: Assignment): PeerSession {
      const { sessionId, control } = assignment;
      const session = sessions.get(sessionId) ?? add({ sessionId, control });
      session.status = 'queued';
      waiting.push(assignment);
      wake();
      return session;
    },
    steer(sessionId: string, control: LiveControl) {
      const session = sessions.get(sessionId);
      if (session) session.control = control;
      wake();
    },
    terminate(sessionId: string) {
      const session = sessions.get(sessionId);
      if (session) session.status = 'terminated';
      wake();
    },
    newsFor({ free, held }: { free: number; held: Held[] }, address: string) {
      const assigned = waiting.splice(0, free);
      for (const { sessionId } of assigned) {
        const session = sessions.get(sessionId);
        if (session) Object.assign(session, { status: 'running', runnerAddress: address });
      }
      const changed = held.flatMap(({ sessionId, control, personId = null }) => {
        const session = sessions.get(sessionId);
        const isOpen = session?.status === 'running' && session.runnerAddress === address;
        const now = isOpen ? session.control : { by: 'ended', personId: null };
        if (now.by === control && now.personId === personId) return [];
        return [{ sessionId, control: now.by, personId: now.personId }];
      });
      return { assigned, changed };
    },
  };
}
