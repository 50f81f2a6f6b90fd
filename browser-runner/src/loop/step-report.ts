import type { ModelUsage } from '@tallyhand/contracts/features/models/model-usage';
import type { StepReport } from '@tallyhand/contracts/features/sessions/runner.endpoints';
import type { StepAction } from '@tallyhand/contracts/features/sessions/sessions.fields';
import type { Frame } from '../session-browser.ts';

/** As long as the contract lets them be. */
const LENGTHS = { input: 8_000, output: 32_000, reasoning: 4_000, url: 4_000, title: 1_000 };
const FINDING_MAX = 2_000;
/** As long as base64. */
export const SCREENSHOT_MAX = 2_800_000;

/** Actions after which the page may look different. */
const MOVING: ReadonlySet<StepAction> = new Set([
  'open',
  'click',
  'type',
  'select',
  'scroll',
  'back',
]);
export const mayMovePage = (action: StepAction) => MOVING.has(action);

export type StepFacts = {
  readonly action: StepAction;
  readonly toolUsed: string | null;
  readonly input: string;
  readonly output: string;
  readonly reasoning: string | null;
  readonly success: boolean;
  /** A member took over during the step. */
  readonly interrupted: boolean;
  readonly executionTimeMs: number;
  readonly finding: string | null;
  readonly usage?: ModelUsage[] | undefined;
};

/** Address and screenshot after a step, if they may have changed. */
export type StepPlace = {
  readonly url: string | null;
  readonly title: string | null;
  readonly frame: Frame | null;
};

/** A step in the contract's form: too long texts are cut, never refused. */
export function stepReport(facts: StepFacts, { url, title, frame }: StepPlace): StepReport {
  const screenshot = frame?.png.toString('base64') ?? '';
  const at = cut(frame?.url ?? url, LENGTHS.url);
  return {
    action: facts.action,
    toolUsed: cut(facts.toolUsed, 200),
    input: cutText(facts.input, LENGTHS.input),
    output: cutText(facts.output, LENGTHS.output),
    reasoning: cut(facts.reasoning, LENGTHS.reasoning),
    success: facts.success,
    interrupted: facts.interrupted,
    executionTimeMs: Math.max(0, Math.round(facts.executionTimeMs)),
    url: at,
    title: cut(frame?.title ?? title, LENGTHS.title),
    screenshots: screenshot && screenshot.length <= SCREENSHOT_MAX ? [screenshot] : [],
    finding: facts.finding ? { text: cutText(facts.finding, FINDING_MAX), url: at } : null,
    ...(facts.usage && { usage: facts.usage }),
  };
}

const cut = (text: string | null, lengthMax: number) => text && cutText(text, lengthMax);

/** Never in the middle of a character. */
export const cutText = (text: string, lengthMax: number) =>
  text.length <= lengthMax
    ? text
    : `${text.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, '')}…`;
