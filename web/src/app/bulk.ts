import type { LucideIcon } from 'lucide-react';
import type { Outcome } from './announce.ts';
import { type Failed, inTurns } from './in-turns.ts';

/** What is done with each of several items. */
export type BulkAction<Item> = {
  key: string;
  icon: LucideIcon;
  /** The words of the button; `n`: how many of the selected items it applies to. */
  label: (n: number) => string;
  /** The items that it applies to; all by default. */
  appliesTo?: (item: Item) => boolean;
  /** What is asked before, where something is lost. */
  ask?: {
    title: (n: number) => string;
    description: string;
    cancelLabel?: string;
    variant: 'destructive' | 'primary';
  };
  run: (item: Item) => PromiseLike<Outcome>;
  /** The toast of success, for those that succeeded. */
  done: (n: number) => string;
  /** Undoes it for one item; the toast offers that for all. */
  undo?: { run: (item: Item) => PromiseLike<Outcome>; done: (n: number) => string };
};

/** How it ended for each item. */
export type BulkResult<Item> = { done: Item[]; failed: Failed<Item>[] };

/** Does it with all of them, a few at a time; `onProgress` hears how many have ended. */
export async function runBulk<Item>(
  items: readonly Item[],
  run: (item: Item) => PromiseLike<Outcome>,
  onProgress?: (ended: number) => void,
): Promise<BulkResult<Item>> {
  let ended = 0;
  const failed = await inTurns(items, async (item) => {
    const outcome = await run(item);
    ended += 1;
    onProgress?.(ended);
    return outcome;
  });
  const isFailed = new Set(failed.map(({ item }) => item));
  return { done: items.filter((item) => !isFailed.has(item)), failed };
}
