import { setTimeout as pause } from 'node:timers/promises';
import { errorFields } from '@tallyhand/service-kit/log';
import { sql } from 'kysely';
import { attempts } from './apply-events.ts';
import { answerRequests } from './operator-requests.ts';
import { pagesAhead } from './pages-ahead.ts';
import { advanceRebuilds } from './rebuild.ts';
import type { ProjectorContext } from './surroundings.ts';
import { lookAtAllAgain } from './unreadable-events.ts';

const LOOK_MS = 1_000;
const AFTER_FAULT_MS = 1_000;
/** Events of a rebuild that become rows in one transaction for each read model. */
const PAGE = 2_000;

/** Does what operators ask for, and rebuilds, one step after the other beside the live rows. */
export function operate(context: ProjectorContext): AsyncDisposable {
  const stopping = new AbortController();
  const tries = attempts(context.transact, stopping.signal);
  const pages = pagesAhead(context.eventLog, PAGE);

  async function step(): Promise<boolean> {
    if (!(await isWanted(context))) return false;
    await answerRequests(context);
    return advanceRebuilds(context, tries, pages);
  }

  async function loop() {
    await lookAtAllAgain(context).catch((error) =>
      context.log.warn('unreadable events were not retried', errorFields(error)),
    );
    while (!stopping.signal.aborted) {
      const pauseMs = await step().then(
        (hasMore) => (hasMore ? 0 : LOOK_MS),
        (error) => {
          if (!stopping.signal.aborted) {
            context.log.warn('retrying what operators requested', errorFields(error));
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
      await pages[Symbol.asyncDispose]();
    },
  };
}

async function isWanted({ db }: ProjectorContext): Promise<boolean> {
  const { rows } = await sql<{ wanted: boolean }>`
    select exists (select from read_model.operator_requests where answer is null)
      or exists (select from read_model.rebuilds where state in ('waiting', 'building')) as wanted
  `.execute(db);
  return rows[0]?.wanted === true;
}
