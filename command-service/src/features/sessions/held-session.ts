import {
  NotYourClaim,
  SessionEnded,
} from '@tallyhand/contracts/features/sessions/sessions.refusals';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { CommandContext } from '../../kit/context.ts';
import type { RequestedSession } from './session-state.ts';
import type { Sessions } from './sessions.ts';

export type ContextFor = (organizationId: string) => CommandContext;
export type Done = { readonly ok: true };

export const DONE: Done = { ok: true };

/** The session while this runner holds it, and it goes on. */
export async function heldSession(
  { open, load }: Sessions,
  sessionId: string,
  runnerId: string,
): Promise<RequestedSession | Refusal> {
  const isHeld = await open.isHeldBy(sessionId, runnerId);
  const session = await load(sessionId);
  if (!session) return NotFound({ what: 'session' });
  if (session.end) return SessionEnded({});
  return isHeld ? session : NotYourClaim({});
}
