import { cleanText } from '@tallyhand/agent-runtime/openai/clean-text';
import type { ActionResult } from '../session-browser.ts';

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
