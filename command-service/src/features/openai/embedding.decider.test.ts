import { TextsEmbedded } from '@tallyhand/contracts/features/openai/openai.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { embeddingStream } from './embedding.decider.ts';

const data = {
  embeddingId: derivedId('embedding'),
  organizationId: derivedId('organization'),
  requestedBy: derivedId('member'),
  texts: 2,
  usage: [
    {
      connectionId: null,
      model: 'meaning',
      calls: 1,
      inputTokens: 20,
      cachedTokens: 0,
      outputTokens: 0,
      isEstimated: false,
      latencyMs: 30,
      costMicros: 1,
    },
  ],
};
const record = { type: 'RecordEmbedding', data } as const;
const given = rulesOf(embeddingStream);

describe('RecordEmbedding', () => {
  it('records what a call has used', () => {
    given().when(record).thenAppended(TextsEmbedded(data));
  });
  it('does nothing for a call that is recorded', () => {
    given(TextsEmbedded(data)).when(record).thenNothing();
  });
});
