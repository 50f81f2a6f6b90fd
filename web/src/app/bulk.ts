import type { LucideIcon } from 'lucide-react';
import type { Outcome } from './announce.ts';

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

/** An item whose call failed. */
export type Failed<Item> = { item: Item; error: unknown };

/** How it ended for each item, in the order of the items. */
export type BulkResult<Item> = { done: Item[]; failed: Failed<Item>[] };

/** Calls to the server at the same time. */
const CONCURRENCY = 4;

/** Calls the server for each item; all are tried. `onProgress` gets how many have ended. */
export async function runBulk<Item>(
  items: readonly Item[],
  run: (item: Item) => PromiseLike<Outcome>,
  onProgress?: (ended: number) => void,
): Promise<BulkResult<Item>> {
  const errors = new Map<Item, unknown>();
  let ended = 0;
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) {
      const { error } = await run(item);
      if (error) errors.set(item, error);
      ended += 1;
      onProgress?.(ended);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return {
    done: items.filter((item) => !errors.has(item)),
    failed: items.flatMap((item) => (errors.has(item) ? [{ item, error: errors.get(item) }] : [])),
  };
}
