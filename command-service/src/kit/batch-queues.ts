const BATCH_MAX = 256;

/** What waits, and hears of a fault. */
type Waiting = { readonly reject: (error: unknown) => void };

/**
 * Queues by id: of each, what waits is handled in batches, one after the other. `handle` gives how
 * many of the batch, from the first on, it has answered; the others come again. When it throws, all
 * of the batch hear of it.
 */
export function batchQueues<W extends Waiting>(
  handle: (id: string, batch: readonly W[]) => Promise<number>,
) {
  const queues = new Map<string, W[]>();

  async function drain(id: string, queue: W[]) {
    while (queue.length > 0) {
      const batch = queue.splice(0, BATCH_MAX);
      try {
        const handled = await handle(id, batch);
        queue.unshift(...batch.slice(handled));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    queues.delete(id);
  }

  return {
    isBusy: (id: string) => queues.has(id),
    push(id: string, ...waiting: readonly W[]): void {
      const queue = queues.get(id);
      if (queue) {
        queue.push(...waiting);
        return;
      }
      const fresh = [...waiting];
      queues.set(id, fresh);
      void drain(id, fresh);
    },
  };
}
