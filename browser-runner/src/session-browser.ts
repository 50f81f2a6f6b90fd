import type { BrowsingAction, PageView } from '@tallyhand/agent-runtime/browsing/planner';
import type { LiveInput } from '@tallyhand/contracts/features/sessions/live.messages';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';

/** The actions that happen in a browser. */
export type PageAction = Extract<
  BrowsingAction,
  { type: 'open' | 'click' | 'type' | 'select' | 'scroll' | 'back' | 'extract' | 'search' }
>;

/** What came of an action. It never rejects but by its signal: what goes wrong is an answer. */
export type ActionResult = {
  success: boolean;
  /** For the planner and for people: what happened, or what was read. Untrusted text. */
  output: string;
  /** The element that it was done to, as a person would call it; null where there is none. */
  name: string | null;
  /** Something was typed into a password field: what it was must not be kept or shown. */
  isSecret: boolean;
};

/** What a viewer is shown. */
export type Frame = { png: Buffer; url: string; title: string; at: Date };

/** One isolated browser context, with one page that counts and few others. */
export type SessionBrowser = AsyncDisposable & {
  /** The page as it is now; null while nothing was opened. `withImage`: its screenshot too. */
  view(options: { withImage: boolean }, signal: AbortSignal): Promise<PageView | null>;
  act(action: PageAction, signal: AbortSignal): Promise<ActionResult>;
  /** What the person who took over does; at once, one after the other. */
  input(input: LiveInput, signal: AbortSignal): Promise<ActionResult>;
  /** Null while nothing was opened, or when the page can't be drawn any more. */
  screenshot(): Promise<Frame | null>;
  /** Hears of each new frame, until what it gives back is called. First of the present one. */
  watch(onFrame: (frame: Frame) => void): () => void;
  /** Resolves, with what to tell a person, when it can't go on: crash, memory, time. */
  readonly lost: Promise<Sentence>;
};

/** The one Chromium of this process: launched when needed, closed when unused. */
export type BrowserHost = AsyncDisposable & {
  open(organizationId: string): Promise<SessionBrowser>;
};
