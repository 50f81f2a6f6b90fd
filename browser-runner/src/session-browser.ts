import type { PageView } from '@tallyhand/agent-runtime/browsing/planner';
import { cleanText } from '@tallyhand/agent-runtime/openai/clean-text';
import type { BrowsingAction } from '@tallyhand/contracts/features/sessions/browsing';
import type { LiveInput } from '@tallyhand/contracts/features/sessions/live.messages';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';

/** The actions that happen in a browser. */
export type PageAction = Extract<
  BrowsingAction,
  { type: 'open' | 'click' | 'type' | 'select' | 'scroll' | 'back' | 'extract' | 'search' }
>;

/** The outcome of an action. It rejects only by its signal: failures are answers. */
export type ActionResult = {
  success: boolean;
  /** For the planner and for people: what happened, or what was read. Untrusted text. */
  output: string;
  /** The label of the target element; null if there is none. */
  name: string | null;
  /** Text was typed into a password field: it must not be stored or shown. */
  isSecret: boolean;
};

/** A form that an action would send. */
export type SentForm = {
  /** The label of the element that sends it. */
  name: string;
  /** The host that gets it. */
  host: string;
  /** What a person decides on: addresses, method, and the fields, without passwords. */
  args: Record<string, unknown>;
  /** All that makes it the same form, also what is secret, without the values of hidden fields. */
  print: string;
};

/** The state for viewers. */
export type Frame = { png: Buffer; url: string; title: string; at: Date };

/** One isolated browser context, with one page that counts and few others. */
export type SessionBrowser = AsyncDisposable & {
  /** The current page; null while none is open. `withImage`: with a screenshot. */
  view(options: { withImage: boolean }, signal: AbortSignal): Promise<PageView | null>;
  /**
   * The form that the action would send, without doing it. Null if it sends none, or one that only
   * reads; `unread` if the page does not say.
   */
  form(action: PageAction, signal: AbortSignal): Promise<SentForm | null | 'unread'>;
  act(action: PageAction, signal: AbortSignal): Promise<ActionResult>;
  /** Input of the member who took over; carried out at once, one after the other. */
  input(input: LiveInput, signal: AbortSignal): Promise<ActionResult>;
  /** Null while no page is open, or when the page cannot be rendered any more. */
  screenshot(): Promise<Frame | null>;
  /**
   * Receives each new frame, starting with the current one, until the returned function is called.
   */
  watch(onFrame: (frame: Frame) => void): () => void;
  /** Resolves, with a sentence for people, when it cannot continue: crash, memory, time. */
  readonly lost: Promise<Sentence>;
};

/** The one Chromium of this process: launched when needed, closed when unused. */
export type BrowserHost = AsyncDisposable & {
  open(organizationId: string): Promise<SessionBrowser>;
};

export const OUTPUT_MAX = 24_000;
const NAME_MAX = 200;

export type Done = ActionResult;

/** The name without invisible characters, on one line; null if nothing is left. */
export function cleanName(name: string | null): string | null {
  return cleanText((name ?? '').replace(/\s+/g, ' '), NAME_MAX) || null;
}

export function done(output: string, name: string | null = null): Done {
  return {
    success: true,
    output: cleanText(output, OUTPUT_MAX),
    name: cleanName(name),
    isSecret: false,
  };
}

export function failed(output: string, name: string | null = null): Done {
  return { ...done(output, name), success: false };
}
