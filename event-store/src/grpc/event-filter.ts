import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { StoredEvent } from '../storage/events.ts';
import { streamsPb } from './protocol.ts';
import { invalidArgument } from './rpc-error.ts';

/**
 * `checkpointInterval`: after so many events looked at, matching or not, the client is told how far
 * the search is.
 */
export type EventFilter = { matches(event: StoredEvent): boolean; checkpointInterval: number };

/** What EventStoreDB searches at once when the client does not say. */
const SEARCH_WINDOW_DEFAULT = 32;

/** The filter of a read of $all, or null for none. Throws INVALID_ARGUMENT. */
export function filterOf(options: ReadReq.Options): EventFilter | null {
  const filter = options.getFilter();
  if (filter === undefined) return null;
  const { FilterCase, WindowCase } = streamsPb.ReadReq.Options.FilterOptions;
  const window =
    filter.getWindowCase() === WindowCase.MAX ? filter.getMax() : SEARCH_WINDOW_DEFAULT;
  const checkpointInterval = window * filter.getCheckpointintervalmultiplier();
  if (checkpointInterval <= 0)
    throw invalidArgument('window and checkpoint interval must be positive');
  switch (filter.getFilterCase()) {
    case FilterCase.STREAM_IDENTIFIER: {
      const matches = textMatcher(filter.getStreamIdentifier());
      return { matches: (event) => matches(event.stream), checkpointInterval };
    }
    case FilterCase.EVENT_TYPE: {
      const matches = textMatcher(filter.getEventType());
      return { matches: (event) => matches(event.type), checkpointInterval };
    }
    default:
      throw invalidArgument('a filter is by stream name or by event type');
  }
}

type Expression = ReadReq.Options.FilterOptions.Expression;

/** As EventStoreDB: prefixes count when there are any, else the regular expression. */
export function textMatcher(expression: Expression | undefined): (text: string) => boolean {
  const prefixes = expression?.getPrefixList() ?? [];
  if (prefixes.length > 0) return (text) => prefixes.some((prefix) => text.startsWith(prefix));
  const source = expression?.getRegex() ?? '';
  if (source === '') throw invalidArgument('a filter has prefixes or a regular expression');
  try {
    const regex = new RegExp(source);
    return (text) => regex.test(text);
  } catch {
    throw invalidArgument(`${JSON.stringify(source)} is not a regular expression`);
  }
}
