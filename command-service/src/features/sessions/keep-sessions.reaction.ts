import {
  SessionCompleted,
  SessionFailed,
  SessionRequested,
  SessionTerminated,
  StepTaken,
} from '@tallyhand/contracts/features/sessions/sessions.events';
import type { EventReader } from '@tallyhand/contracts/kernel/messages';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { type Reaction, reaction } from '../../kit/reactions.ts';
import { type Sessions, sessionContext } from './sessions.ts';

/** What follows from a session's events, also when the process died that should have done it. */
export function keepSessions(sessions: Sessions): Reaction {
  const { open, credits, load, tell, close } = sessions;

  const closeEnded =
    (kind: EventReader<{ readonly sessionId: string; readonly organizationId: string }>) =>
    async ({ data, envelope }: StoredEvent) => {
      const { sessionId, organizationId } = kind.read(data, envelope.schemaVersion);
      const isOpen = (await open.find(sessionId)) !== null || (await credits.isOpen(sessionId));
      const session = isOpen ? await load(sessionId) : null;
      if (session) await close(sessionContext(organizationId), session);
    };

  return reaction('keep-sessions', {
    SessionRequested: async ({ data, envelope }) => {
      const requested = SessionRequested.read(data, envelope.schemaVersion);
      const queued = await open.find(requested.sessionId);
      if (queued?.isRequested) return;
      // What has ended since has left the queue.
      const session = await load(requested.sessionId);
      if (!session || session.end) return;
      await open.add(requested);
      await tell();
    },
    StepTaken: async ({ data, envelope }) => {
      const { sessionId, stepId, organizationId, takenBy } = StepTaken.read(
        data,
        envelope.schemaVersion,
      );
      if (takenBy || (await credits.isSettled(stepId))) return;
      const session = await load(sessionId);
      if (session) await credits.settle(sessionContext(organizationId), session, stepId);
    },
    SessionCompleted: closeEnded(SessionCompleted),
    SessionFailed: closeEnded(SessionFailed),
    SessionTerminated: closeEnded(SessionTerminated),
  });
}
