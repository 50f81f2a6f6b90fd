import { setTimeout as pause } from 'node:timers/promises';
import { errorFields } from '@tallyhand/service-kit/log';
import { attempts } from './apply-events.ts';
import { answerRequests } from './operator-requests.ts';
import { advanceRebuilds } from './rebuild.ts';
import type { ProjectorContext } from './surroundings.ts';

const LOOK_MS = 500;
const AFTER_FAULT_MS = 1_000;

/** Does what operators ask for, and rebuilds, one step after the other beside the live rows. */
export function operate(context: ProjectorContext): AsyncDisposable {
  const stopping = new AbortController();
  const tries = attempts(stopping.signal);

  async function step(): Promise<boolean> {
    await answerRequests(context);
    return advanceRebuilds(context, tries);
  }

  async function loop() {
    while (!stopping.signal.aborted) {
      const pauseMs = await step().then(
        (hasMore) => (hasMore ? 0 : LOOK_MS),
        (error) => {
          if (!stopping.signal.aborted) {
            context.log.warn('what operators asked for is tried again', errorFields(error));
          }
          return AFTER_FAULT_MS;
        },
      );
      await pause(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  const done = loop();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await done;
    },
  };
}
