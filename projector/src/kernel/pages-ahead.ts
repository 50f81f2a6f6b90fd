import type { EventLog } from '@tallyhand/service-kit/event-store/event-log';
import { comparePositions, type Position } from '@tallyhand/service-kit/event-store/position';
import { type Page, readAllAfter } from '@tallyhand/service-kit/event-store/read-all';

/** Pages of all events, of which the next one is read while the last is worked on. */
export type PagesAhead = AsyncDisposable & { after(position: Position): Promise<Page> };

export function pagesAhead(eventLog: EventLog, length: number): PagesAhead {
  let ahead: { readonly from: Position; readonly page: Promise<Page> } | null = null;

  function read(from: Position) {
    const page = readAllAfter(eventLog, from, length);
    // Reported to the reader of the page; without a reader it does not matter.
    page.catch(() => {});
    return { from, page };
  }
  return {
    async after(position) {
      const known = ahead;
      ahead = null;
      const isKnown = known !== null && comparePositions(known.from, position) === 0;
      const page = await (isKnown ? known : read(position)).page;
      if (!page.isLast) ahead = read(page.position);
      return page;
    },
    // The event store's client can't be closed while a read is under way.
    async [Symbol.asyncDispose]() {
      await ahead?.page.catch(() => {});
    },
  };
}
