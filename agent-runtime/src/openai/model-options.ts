import type { OptionalPart } from './optional-parts.ts';

/** How a model answers; what it does not support is left out. */
export type ModelOptions = {
  readonly temperature: number | null;
  readonly maxOutputTokens: number | null;
  readonly reasoningEffort: 'low' | 'medium' | 'high' | null;
  /** The field for `maxOutputTokens`. */
  readonly limitField: 'max_tokens' | 'max_completion_tokens';
};

/** The parts of a request that carry the options. */
export function partsOf(options: ModelOptions | undefined): OptionalPart[] {
  const parts: OptionalPart[] = [];
  if (options && options.temperature !== null) parts.push('temperature');
  if (options && options.maxOutputTokens !== null) parts.push('limit');
  if (options && options.reasoningEffort !== null) parts.push('effort');
  return parts;
}

/** The fields of a request for the options whose parts are sent. */
export function optionsOf(options: ModelOptions | undefined, parts: ReadonlySet<OptionalPart>) {
  if (!options) return {};
  const { temperature, maxOutputTokens, reasoningEffort, limitField } = options;
  return {
    ...(parts.has('temperature') && { temperature }),
    ...(parts.has('limit') && { [limitField]: maxOutputTokens }),
    ...(parts.has('effort') && { reasoning_effort: reasoningEffort }),
  };
}
