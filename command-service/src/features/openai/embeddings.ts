import type { OnModelCall } from '@tallyhand/agent-runtime/engine';
import { EMBEDDED_TEXTS_MAX, type Embedder } from '@tallyhand/agent-runtime/openai/embeddings';
import { UsageMeter } from '@tallyhand/agent-runtime/usage-meter';
import { withDeadline } from '@tallyhand/agent-runtime/with-deadline';
import type { ModelUsage } from '@tallyhand/contracts/features/models/model-usage';
import type {
  Embeddings,
  EmbeddingsInput,
} from '@tallyhand/contracts/features/openai/embeddings.endpoints';
import { ModelTimedOut } from '@tallyhand/contracts/features/tasks/work-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';

/** Of a whole call, which may need several requests. */
const CALL_MS_MAX = 60_000;

type Texts = {
  readonly input: readonly string[];
  readonly dimensions?: number | null | undefined;
};

/** How far the texts were embedded, and what that has used. */
export type EmbeddedTexts = {
  /** In the order of the texts; fewer than the texts after a failure. */
  readonly vectors: readonly Float32Array[];
  readonly usage: readonly ModelUsage[];
  /** Why the rest was not embedded; null if nothing is missing. */
  readonly failure: Sentence | null;
};

/**
 * Embeds the texts in as many requests as needed, one after the other. A caller that leaves ends it
 * after the request that is answered.
 */
export async function embedTexts(
  embedder: Embedder,
  { input, dimensions }: Texts,
  left: AbortSignal,
): Promise<EmbeddedTexts> {
  const meter = new UsageMeter();
  const onModelCall: OnModelCall = (call) => meter.note(call);
  const signal = withDeadline(left, CALL_MS_MAX);
  const vectors: Float32Array[] = [];
  const ended = (failure: Sentence | null) => ({ vectors, usage: meter.take() ?? [], failure });
  for (let from = 0; from < input.length; from += EMBEDDED_TEXTS_MAX) {
    const batch = input.slice(from, from + EMBEDDED_TEXTS_MAX);
    const options = { dimensions: dimensions ?? undefined, onModelCall };
    const embedded = await embedder.embed(batch, signal, options).catch((error) => {
      if (signal.aborted) return null;
      throw error;
    });
    if (embedded === null) return ended(ModelTimedOut({}));
    if (embedded.vectors === null) return ended(embedded.failure);
    vectors.push(...embedded.vectors);
  }
  return ended(null);
}

/** The answer as OpenAI's API has it. */
export function embeddingsOf(
  { vectors, usage }: Pick<EmbeddedTexts, 'vectors' | 'usage'>,
  { model, encoding_format }: Pick<EmbeddingsInput, 'model' | 'encoding_format'>,
): Embeddings {
  const encode = encoding_format === 'base64' ? base64Of : floatsOf;
  const tokens = usage.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: encode(vector),
    })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** Nine digits name each 32-bit float; as a double it would have up to seventeen. */
const floatsOf = (vector: Float32Array): number[] =>
  Array.from(vector, (value) => Number(value.toPrecision(9)));

function base64Of(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.byteLength);
  for (const [at, value] of vector.entries()) {
    bytes.writeFloatLE(value, at * Float32Array.BYTES_PER_ELEMENT);
  }
  return bytes.toString('base64');
}
