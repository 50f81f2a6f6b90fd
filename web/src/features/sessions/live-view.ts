import {
  type LiveAction,
  type LiveControl,
  LiveMessage,
} from '@tallyhand/contracts/features/sessions/live.messages';
import type { SessionStatus } from '@tallyhand/contracts/features/sessions/sessions.fields';
import type { z } from 'zod';

const ACTIONS_SHOWN = 10;
/** The rate is computed from the frames of this time. */
const RATE_WINDOW_MS = 5_000;

/** What a live view shows. Times are by the user's clock, in milliseconds. */
export type LiveView = {
  connection: 'connecting' | 'live' | 'disconnected';
  /** PNG as base64; null while nothing was opened. */
  screenshot: string | null;
  url: string | null;
  title: string | null;
  /** When the picture came last. */
  updatedAt: number | null;
  /** When each of the latest pictures came, the newest last. */
  frames: readonly number[];
  /** The latest ten, the newest first. */
  actions: readonly LiveAction[];
  status: SessionStatus | null;
  control: z.infer<typeof LiveControl> | null;
  /** What the server refused last. */
  error: { code: string; message: string } | null;
};

export const NOTHING_SEEN: LiveView = {
  connection: 'connecting',
  screenshot: null,
  url: null,
  title: null,
  updatedAt: null,
  frames: [],
  actions: [],
  status: null,
  control: null,
  error: null,
};

/** A message of the socket, or undefined for what is none. */
export function liveMessage(data: unknown): LiveMessage | undefined {
  try {
    const parsed = LiveMessage.safeParse(JSON.parse(String(data)));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

type Frame = Pick<LiveView, 'screenshot' | 'url' | 'title'>;

const shown = ({ screenshot, url, title }: Frame): Frame => ({ screenshot, url, title });

/** The view after a message that came at `now`. */
export function afterMessage(view: LiveView, message: LiveMessage, now: number): LiveView {
  switch (message.type) {
    case 'initial_state':
      // All that was missed is in it: what was there before does not count any more.
      return {
        ...shown(message),
        connection: 'live',
        updatedAt: now,
        frames: [],
        actions: message.actions.slice(-ACTIONS_SHOWN).reverse(),
        status: message.status,
        control: message.control,
        error: null,
      };
    case 'live_update': {
      const frames = [...view.frames.filter((at) => at > now - RATE_WINDOW_MS), now];
      return { ...view, ...shown(message), updatedAt: now, frames };
    }
    case 'action': {
      const { action, timestamp, details } = message;
      const actions = [{ action, timestamp, details }, ...view.actions].slice(0, ACTIONS_SHOWN);
      return { ...view, actions, error: null };
    }
    case 'state':
      return { ...view, status: message.status, control: message.control, error: null };
    case 'error':
      return { ...view, error: { code: message.code, message: message.message } };
  }
}

/** Pictures a second, over the last five; 0 while nothing moves. */
export function frameRate({ frames }: Pick<LiveView, 'frames'>, now: number): number {
  const recent = frames.filter((at) => at > now - RATE_WINDOW_MS);
  return recent.length / (RATE_WINDOW_MS / 1_000);
}

/** It has ended: no more messages follow. */
export const isOver = ({ status }: Pick<LiveView, 'status'>) =>
  status === 'completed' || status === 'failed' || status === 'terminated';
