import { isApiError } from './library.ts';
import { isTooLong } from './model-calls.ts';

/** A part of a request that an endpoint or model may not support. */
export type OptionalPart =
  | 'usage'
  | 'effort'
  | 'temperature'
  | 'limit'
  | 'image'
  | 'schema'
  | 'choice'
  | 'tools';

/** What an error says that refuses the part. Their order is that in which parts are left out. */
const REFUSAL_OF: Readonly<Record<OptionalPart, RegExp>> = {
  usage: /stream_options|include_usage/i,
  effort: /reasoning/i,
  temperature: /temperature/i,
  limit: /max_(?:completion_|output_)?tokens/i,
  image: /image/i,
  schema: /response_format|json_schema/i,
  choice: /tool_choice/i,
  tools: /\btools\b|\bfunctions?\b/i,
};
const PARTS = Object.keys(REFUSAL_OF) as OptionalPart[];

/** Without any optional part these requests would be refused as well. */
const HOPELESS = /context.length|content_filter|content_policy|invalid_api_key|insufficient_quota/i;

const REMEMBERED_MS = 1_800_000;

/**
 * The parts that one model of one endpoint has refused. They are asked for again after half an hour:
 * an endpoint may have been updated, or have refused for another reason.
 */
export class OptionalParts {
  readonly #refusedUntil = new Map<OptionalPart, number>();
  readonly #now: () => number;

  /** `now` counts milliseconds by any clock that does not go back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  isRefused(part: OptionalPart): boolean {
    return (this.#refusedUntil.get(part) ?? Number.NEGATIVE_INFINITY) > this.#now();
  }

  /** Remembers that the endpoint has refused the part. */
  refuse(part: OptionalPart): void {
    this.#refusedUntil.set(part, this.#now() + REMEMBERED_MS);
  }

  /**
   * Sends a request with the wanted parts. While it is refused, leaves out the part that the error
   * names, or one after the other. `isRemembered`: which parts later requests leave out at once.
   */
  async send<Result>(
    wanted: readonly OptionalPart[],
    isRemembered: (part: OptionalPart) => boolean,
    request: (parts: ReadonlySet<OptionalPart>) => Promise<Result>,
  ): Promise<Result> {
    const parts = new Set(wanted.filter((part) => !this.#refusedOf(part, isRemembered)));
    let leftOut: OptionalPart | undefined;
    for (;;) {
      try {
        const result = await request(parts);
        // Only the last one made the difference; those before it may be innocent.
        if (leftOut && isRemembered(leftOut)) this.refuse(leftOut);
        return result;
      } catch (error) {
        leftOut = partRefusedBy(error, parts);
        if (!leftOut) throw error;
        parts.delete(leftOut);
      }
    }
  }

  #refusedOf(part: OptionalPart, isRemembered: (part: OptionalPart) => boolean): boolean {
    return isRemembered(part) && this.isRefused(part);
  }
}

function partRefusedBy(error: unknown, parts: ReadonlySet<OptionalPart>): OptionalPart | undefined {
  if (!isApiError(error) || ![400, 415, 422, 501].includes(error.status ?? 0)) return;
  const said = `${error.code ?? ''} ${error.param ?? ''} ${error.message}`;
  if (HOPELESS.test(said) || isTooLong(said)) return;
  const left = PARTS.filter((part) => parts.has(part));
  return left.find((part) => REFUSAL_OF[part].test(said)) ?? left[0];
}
