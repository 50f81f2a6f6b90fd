import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import { RE2JS } from 're2js';
import type { StoredEvent } from '../storage/events.ts';
import { streamsPb } from './protocol.ts';
import { invalidArgument } from './rpc-error.ts';

/**
 * `stepsFor`: how many steps a text may take at most; time goes with it, whatever the expression,
 * for RE2 never backtracks. `matches` throws INVALID_ARGUMENT when they are too many.
 */
type TextMatcher = { matches(text: string): boolean; stepsFor(text: string): number };

/**
 * `checkpointInterval`: after this many examined events, matching or not, the client receives the
 * position of the search.
 */
export type EventFilter = {
  matches(event: StoredEvent): boolean;
  stepsFor(event: StoredEvent): number;
  checkpointInterval: number;
};

const REGEX_LENGTH_MAX = 1_000;
/** Instructions of the compiled expression. */
const REGEX_PROGRAM_MAX = 1_000;
/** The longest name of a stream, with the largest program. */
const TEXT_STEPS_MAX = 4_096 * REGEX_PROGRAM_MAX;

/** EventStoreDB's default for one search. */
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
      const matcher = textMatcher(filter.getStreamIdentifier());
      return {
        matches: ({ stream }) => matcher.matches(stream),
        stepsFor: ({ stream }) => matcher.stepsFor(stream),
        checkpointInterval,
      };
    }
    case FilterCase.EVENT_TYPE: {
      const matcher = textMatcher(filter.getEventType());
      return {
        matches: ({ type }) => matcher.matches(type),
        stepsFor: ({ type }) => matcher.stepsFor(type),
        checkpointInterval,
      };
    }
    default:
      throw invalidArgument('a filter is by stream name or by event type');
  }
}

type Expression = ReadReq.Options.FilterOptions.Expression;

/** As in EventStoreDB: prefixes if there are any, otherwise the regular expression. */
export function textMatcher(expression: Expression | undefined): TextMatcher {
  const prefixes = expression?.getPrefixList() ?? [];
  if (prefixes.length > 0) {
    return {
      matches: (text) => prefixes.some((prefix) => text.startsWith(prefix)),
      stepsFor: () => 0,
    };
  }
  const source = expression?.getRegex() ?? '';
  if (source === '') throw invalidArgument('a filter has prefixes or a regular expression');
  return regexMatcher(source);
}

function regexMatcher(source: string): TextMatcher {
  if (source.length > REGEX_LENGTH_MAX) {
    throw invalidArgument(`a regular expression has at most ${REGEX_LENGTH_MAX} characters`);
  }
  const regex = compiled(source);
  const size = regex.programSize();
  if (size > REGEX_PROGRAM_MAX) throw invalidArgument('the regular expression is too complex');
  const stepsFor = (text: string) => size * text.length;
  return {
    stepsFor,
    matches(text) {
      if (stepsFor(text) > TEXT_STEPS_MAX) {
        throw invalidArgument('the regular expression is too complex for a text that it meets');
      }
      return regex.test(text);
    },
  };
}

function compiled(source: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source));
  } catch (error) {
    const reason = error instanceof Error ? `: ${error.message}` : '';
    throw invalidArgument(`${JSON.stringify(source)} is not a regular expression of RE2${reason}`);
  }
}

/** Well below 100 ms of the slowest expressions. */
const TURN_STEPS_MAX = 500_000;

/** Counts the steps of a filter, so that its caller yields to other calls in between. */
export class FilterTurns {
  readonly #filter: EventFilter | null;
  #steps = 0;

  constructor(filter: EventFilter | null) {
    this.#filter = filter;
  }

  /** Whether to yield to other calls before the filter examines the event. */
  isDueBefore(event: StoredEvent): boolean {
    if (this.#filter === null) return false;
    this.#steps += this.#filter.stepsFor(event);
    if (this.#steps < TURN_STEPS_MAX) return false;
    this.#steps = 0;
    return true;
  }
}
