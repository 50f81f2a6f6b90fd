import { remember, remembered } from '../../ui/remembered.ts';
import type { Choice } from './choices.ts';

const KEPT_MAX = 5;

type Kept = { userId: string; choices: Choice[] };

/** By hand: the sign-out button needs this file, and a schema would bring zod to every page. */
function isKept(value: unknown): value is Kept {
  if (typeof value !== 'object' || value === null) return false;
  const { userId, choices } = value as Partial<Kept>;
  const isChoice = ({ kind, to, title, detail }: Choice) =>
    [kind, to, title].every((text) => typeof text === 'string') && detail === null;
  return typeof userId === 'string' && Array.isArray(choices) && choices.every(isChoice);
}

/**
 * What the member opened last through the palette, in this browser. Another member's is not shown.
 */
export function recentChoices(userId: string): readonly Choice[] {
  try {
    const kept: unknown = JSON.parse(remembered('recent') ?? 'null');
    return isKept(kept) && kept.userId === userId ? kept.choices : [];
  } catch {
    return [];
  }
}

/** Puts a choice first among the recent ones. */
export function keepChoice(userId: string, { kind, to, title }: Choice) {
  const others = recentChoices(userId).filter((each) => each.to !== to);
  const choices = [{ kind, to, title, detail: null }, ...others].slice(0, KEPT_MAX);
  remember('recent', JSON.stringify({ userId, choices }));
}

/** Titles are not stored for the next user of the browser. */
export const forgetChoices = () => remember('recent', null);
