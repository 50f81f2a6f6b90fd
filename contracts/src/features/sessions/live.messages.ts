import { z } from 'zod';
import { Id, Instant } from '../../kernel/ids.ts';
import { SESSION_STATUSES } from './sessions.fields.ts';

/** The socket of live views, on the product's own host. */
export const LIVE_PATH = '/ws/browser';
export const LIVE_MESSAGE_BYTES_MAX = 16_384;

/** The session to watch, by its own id or its browser's. `userId` is ignored. */
const Subscribe = z.strictObject({
  type: z.literal('subscribe_browser'),
  sessionId: Id,
  userId: z.string().max(200).optional(),
});

const at = { x: z.number().min(0).max(1), y: z.number().min(0).max(1) };
const input = { type: z.literal('input') };

/**
 * Input of the member who took over; ignored from anyone else. Coordinates are fractions of the
 * screenshot's width and height.
 */
const Input = z.discriminatedUnion('kind', [
  z.strictObject({ ...input, kind: z.literal('click'), ...at }),
  z.strictObject({ ...input, kind: z.literal('scroll'), ...at, deltaY: z.number() }),
  z.strictObject({ ...input, kind: z.literal('text'), text: z.string().min(1).max(4_000) }),
  z.strictObject({
    ...input,
    kind: z.literal('key'),
    key: z.enum([
      'Enter',
      'Tab',
      'Backspace',
      'Delete',
      'Escape',
      'ArrowUp',
      'ArrowDown',
      'ArrowLeft',
      'ArrowRight',
      'Home',
      'End',
      'PageUp',
      'PageDown',
    ]),
  }),
  z.strictObject({ ...input, kind: z.literal('open'), url: z.string().min(1).max(2_000) }),
  z.strictObject({ ...input, kind: z.literal('back') }),
]);
export type LiveInput = z.infer<typeof Input>;

export const LiveRequest = z.union([Subscribe, Input]);
export type LiveRequest = z.infer<typeof LiveRequest>;

/** A sentence that describes the event. */
export const LiveAction = z.object({ action: z.string(), timestamp: Instant, details: z.string() });
export type LiveAction = z.infer<typeof LiveAction>;

const DETAILS_MAX = 300;

/** A step as viewers see it; `details` has its target, or why it failed. */
export function liveActionOf(
  step: { action: string; input: string; output: string; success: boolean },
  timestamp: string,
): LiveAction {
  const details = step.success ? step.input : step.output;
  return { action: step.action, timestamp, details: details.slice(0, DETAILS_MAX) };
}

/** Who is steering: the agent, or the member with this id. */
export const LiveControl = z.object({ by: z.enum(['agent', 'person']), personId: Id.nullable() });
export type LiveControl = z.infer<typeof LiveControl>;

const frame = {
  /** PNG as base64; null while no page is open. */
  screenshot: z.string().nullable(),
  url: z.string().nullable(),
  title: z.string().nullable(),
  timestamp: Instant,
};

/** Messages of the socket. After a reconnect `initial_state` has everything that was missed. */
export const LiveMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('initial_state'),
    sessionId: Id,
    status: z.enum(SESSION_STATUSES),
    ...frame,
    /** The latest actions, newest last. */
    actions: z.array(LiveAction),
    control: LiveControl,
  }),
  z.object({ type: z.literal('live_update'), ...frame }),
  LiveAction.extend({ type: z.literal('action') }),
  /** A member took over or handed back, or the session ended. */
  z.object({
    type: z.literal('state'),
    status: z.enum(SESSION_STATUSES),
    control: LiveControl,
  }),
  z.object({ type: z.literal('error'), code: z.string(), message: z.string() }),
]);
export type LiveMessage = z.infer<typeof LiveMessage>;
