import {
  type LiveAction,
  type LiveControl,
  type LiveInput,
  liveActionOf,
} from '@tallyhand/contracts/features/sessions/live.messages';
import type { PersonInput, SessionFeed } from '../loop/session-control.ts';
import { type ControlState, liveControl } from '../loop/session-control.ts';
import type { Frame, SessionBrowser } from '../session-browser.ts';

/** How many of the latest actions a viewer receives first. */
export const ACTIONS_MAX = 10;

/** A serialized frame: encoded once for all viewers. */
export type LiveFrame = { readonly frame: Frame; message(): string; screenshot(): string };

/** Receives a session's events live. */
export type Viewer = {
  onFrame(frame: LiveFrame): void;
  onAction(action: LiveAction): void;
  /** Control changed, or the session started or ended. */
  onChange(): void;
};

/** The local state of a session that this runner holds. */
export type HeldState = {
  readonly control: LiveControl;
  readonly frame: LiveFrame | null;
  /** Those since this runner has it. */
  readonly actions: readonly LiveAction[];
  readonly heldSince: string;
};

export type Watching = Disposable & {
  /** Null while this runner does not hold it. */
  held(): HeldState | null;
};

export type InputAnswer = 'taken' | 'not-steering' | 'not-ready' | 'too-fast';

/** What this runner knows about one session, for its viewers. */
type Channel = {
  readonly viewers: Set<Viewer>;
  controlState: ControlState | null;
  heldSince: string;
  browser: SessionBrowser | null;
  person: PersonInput | null;
  frame: LiveFrame | null;
  actions: LiveAction[];
  unwatch: (() => void) | null;
};

/** Connects the loops of sessions with viewers: neither waits for the other. */
export class LiveHub {
  readonly #now: () => Date;
  readonly #channels = new Map<string, Channel>();

  constructor(now: () => Date = () => new Date()) {
    this.#now = now;
  }

  /** For the loop: opened when a session is claimed, disposed of when it is released. */
  openFeed(sessionId: string, controlState: ControlState): SessionFeed & Disposable {
    const channel = this.#channel(sessionId);
    const now = this.#now;
    Object.assign(channel, {
      controlState,
      heldSince: now().toISOString(),
      actions: [],
      frame: null,
    });
    const changed = () => {
      for (const viewer of channel.viewers) viewer.onChange();
    };
    const stopListening = controlState.listen(changed);
    changed();
    return {
      show(browser) {
        stopWatching(channel);
        channel.browser = browser;
        watchIfWanted(channel);
      },
      steer(person) {
        channel.person = person;
      },
      acted(step) {
        const action = liveActionOf(step, now().toISOString());
        channel.actions = [...channel.actions, action].slice(-ACTIONS_MAX);
        for (const viewer of channel.viewers) viewer.onAction(action);
      },
      [Symbol.dispose]: () => {
        stopListening();
        channel.controlState = null;
        changed();
        this.#forgetIfUnused(sessionId, channel);
      },
    };
  }

  /** For viewers, whether or not this runner holds the session yet. */
  watch(sessionId: string, viewer: Viewer): Watching {
    const channel = this.#channel(sessionId);
    channel.viewers.add(viewer);
    watchIfWanted(channel);
    return {
      held: () =>
        channel.controlState && {
          frame: channel.frame,
          actions: channel.actions,
          heldSince: channel.heldSince,
          control: liveControl(channel.controlState.current),
        },
      [Symbol.dispose]: () => {
        channel.viewers.delete(viewer);
        watchIfWanted(channel);
        this.#forgetIfUnused(sessionId, channel);
      },
    };
  }

  input(sessionId: string, personId: string, input: LiveInput): InputAnswer {
    const channel = this.#channels.get(sessionId);
    const control = channel?.controlState?.current;
    if (control?.control !== 'person' || control.personId !== personId) return 'not-steering';
    if (channel?.person?.memberId !== personId) return 'not-ready';
    return channel.person.input(input) ? 'taken' : 'too-fast';
  }

  #channel(sessionId: string): Channel {
    const known = this.#channels.get(sessionId);
    if (known) return known;
    const channel: Channel = {
      viewers: new Set<Viewer>(),
      controlState: null,
      heldSince: '',
      browser: null,
      person: null,
      frame: null,
      actions: [],
      unwatch: null,
    };
    this.#channels.set(sessionId, channel);
    return channel;
  }

  #forgetIfUnused(sessionId: string, channel: Channel) {
    if (channel.controlState === null && channel.viewers.size === 0) {
      this.#channels.delete(sessionId);
    }
  }
}

/** No viewers: stop the screencast. */
function watchIfWanted(channel: Channel) {
  const { browser, viewers } = channel;
  if (browser === null || viewers.size === 0) {
    stopWatching(channel);
    return;
  }
  channel.unwatch ??= browser.watch((frame) => {
    const live = liveFrame(frame);
    channel.frame = live;
    for (const viewer of viewers) viewer.onFrame(live);
  });
}

/** The last frame is soon out of date. */
function stopWatching(channel: Channel) {
  channel.unwatch?.();
  channel.unwatch = null;
  channel.frame = null;
}

function liveFrame(frame: Frame): LiveFrame {
  let screenshot: string | undefined;
  let message: string | undefined;
  const picture = () => {
    screenshot ??= frame.png.toString('base64');
    return screenshot;
  };
  return {
    frame,
    screenshot: picture,
    message() {
      const { url, title, at } = frame;
      const timestamp = at.toISOString();
      message ??= JSON.stringify({
        type: 'live_update',
        screenshot: picture(),
        url,
        title,
        timestamp,
      });
      return message;
    },
  };
}
