import { OrganizationQueueFull, ServerQueueFull } from '@tallyhand/contracts/kernel/problem';
import type { QueueFull } from '@tallyhand/service-kit/fair-queue';

const RETRY_AFTER_SECONDS = 5;

/** Of files that are received, read, or waiting. */
const UPLOADS = { bytesMax: 240_000_000, bytesPerOrganizationMax: 80_000_000 };

type Limits = { readonly bytesMax: number; readonly bytesPerOrganizationMax: number };

/** The bytes of one upload, until it is disposed of. */
export type Held = Disposable & {
  /** Refuses them where all uploads together, or those of the organization, would be too large. */
  add(bytes: number): QueueFull | null;
};

/** Bounds this process's memory for uploads that are being read or wait for their turn. */
export class HeldBytes {
  readonly #limits: Limits;
  readonly #organizations = new Map<string, number>();
  #bytes = 0;

  constructor(limits: Limits = UPLOADS) {
    this.#limits = limits;
  }

  hold(organizationId: string): Held {
    let own = 0;
    const change = (bytes: number) => {
      own += bytes;
      this.#bytes += bytes;
      const all = this.#of(organizationId) + bytes;
      if (all === 0) this.#organizations.delete(organizationId);
      else this.#organizations.set(organizationId, all);
    };
    return {
      add: (bytes) => {
        const { bytesMax, bytesPerOrganizationMax } = this.#limits;
        const isOwnFull = this.#of(organizationId) + bytes > bytesPerOrganizationMax;
        if (isOwnFull) return OrganizationQueueFull({ retryAfterSeconds: RETRY_AFTER_SECONDS });
        if (this.#bytes + bytes > bytesMax) {
          return ServerQueueFull({ retryAfterSeconds: RETRY_AFTER_SECONDS });
        }
        change(bytes);
        return null;
      },
      [Symbol.dispose]: () => change(-own),
    };
  }

  #of(organizationId: string): number {
    return this.#organizations.get(organizationId) ?? 0;
  }
}
