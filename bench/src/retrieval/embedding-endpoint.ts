import type { EngineConfig } from '@tallyhand/agent-runtime/choose-engine';
import { embeddingsPeer } from '@tallyhand/agent-runtime/openai/fixtures/embeddings-peer';
import { readEnvironment } from '@tallyhand/service-kit/env';

export type EmbeddingEndpoint = AsyncDisposable & {
  readonly model: EngineConfig;
  /** For the table of measurements. */
  readonly name: string;
  /** False: the vectors are those of a local peer, which follow from the bench's own tables. */
  readonly isReal: boolean;
};

/** The endpoint that the operator names with `OPENAI_EMBEDDING_MODEL`, otherwise a local peer. */
export async function embeddingEndpoint(
  vectorOf: (text: string) => readonly number[],
): Promise<EmbeddingEndpoint> {
  const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_EMBEDDING_MODEL } = readEnvironment();
  if (OPENAI_EMBEDDING_MODEL) {
    return {
      model: {
        openAiEmbeddingModel: OPENAI_EMBEDDING_MODEL,
        ...(OPENAI_API_KEY && { openAiApiKey: OPENAI_API_KEY }),
        ...(OPENAI_BASE_URL && { openAiBaseUrl: OPENAI_BASE_URL }),
      },
      name: OPENAI_EMBEDDING_MODEL,
      isReal: true,
      async [Symbol.asyncDispose]() {},
    };
  }
  const peer = await embeddingsPeer(vectorOf);
  return {
    model: { openAiBaseUrl: peer.baseURL, openAiEmbeddingModel: 'peer' },
    name: 'a local peer, by tables',
    isReal: false,
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}
