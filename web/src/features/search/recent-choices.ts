import { z } from 'zod';
import type { Choice } from './choices.ts';

const KEPT_MAX = 5;
const STORED_AS = 'tallyhand-recent';

const Kept = z.object({
  userId: z.string(),
  choices: z.array(
    z.object({ kind: z.string(), to: z.string(), title: z.string(), detail: z.null() }),
  ),
});

/** What somebody opened last through the palette, in this browser. Another person's is not shown. */
export function recentChoices(userId: string): readonly Choice[] {
  try {
    const kept = Kept.parse(JSON.parse(localStorage.getItem(STORED_AS) ?? 'null'));
    return kept.userId === userId ? (kept.choices as Choice[]) : [];
  } catch {
    return [];
  }
}

/** Puts a choice first among the recent ones. */
export function keepChoice(userId: string, { kind, to, title }: Choice) {
  const others = recentChoices(userId).filter((each) => each.to !== to);
  const choices = [{ kind, to, title, detail: null }, ...others].slice(0, KEPT_MAX);
  try {
    localStorage.setItem(STORED_AS, JSON.stringify({ userId, choices }));
  } catch {
    // Without storage nothing is recent.
  }
}

/** Titles are not left behind for whoever uses the browser next. */
export function forgetChoices() {
  try {
    localStorage.removeItem(STORED_AS);
  } catch {
    // As above.
  }
}
