import type { EventLog } from '@tallyhand/service-kit/event-store/event-log';
import { comparePositions, type Position } from '@tallyhand/service-kit/event-store/position';
import { type Page, readAllAfter } from '@tallyhand/service-kit/event-store/read-all';

/** Pages of all events. The next page is read while the last one is processed. */
export type PagesAhead = AsyncDisposable & { after(position: Position): Promise<Page> };

export function pagesAhead(eventLog: EventLog, length: number): PagesAhead {
  let ahead: { readonly from: Position; readonly page: Promise<Page> } | null = null;

  function read(from: Position) {
    const page = readAllAfter(eventLog, from, length);
    // The caller of `after` gets the error; a page that is never taken may fail.
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
    // The event store's client can't be closed during a read.
    async [Symbol.asyncDispose]() {
      await ahead?.page.catch(() => {});
    },
  };
}
