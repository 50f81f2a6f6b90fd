import { newId } from '@tallyhand/service-kit/crypto/ids';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { describe, expect, it } from 'vitest';
import { changesToEmbed } from './embed-articles.ts';

const [one, other] = [newId(), newId()];

const event = (type: string, at: number, organizationId: string | null = one) => {
  const position = { commit: BigInt(at), prepare: BigInt(at) };
  return { type, position, envelope: { organizationId } } as StoredEvent;
};

describe('the changes of one batch', () => {
  it('end with the newest one, whichever kinds they are of', () => {
    const articleLast = [event('EmbeddingModelChosen', 1), event('ArticleCreated', 2)];
    const modelLast = [event('ArticleCreated', 1), event('EmbeddingModelChosen', 2)];
    for (const events of [articleLast, modelLast]) {
      expect(changesToEmbed(events, true)).toEqual({
        positions: new Map([[one, 'C2-P2']]),
        retried: new Set([one]),
      });
    }
  });

  it('try the model at once only where it may have changed', () => {
    const events = [
      event('ArticleChanged', 1),
      event('ConnectionChanged', 2, other),
      event('TaskRequested', 3),
      event('ArticleDeleted', 4, null),
    ];
    expect(changesToEmbed(events, true)).toEqual({
      positions: new Map([
        [one, 'C1-P1'],
        [other, 'C2-P2'],
      ]),
      retried: new Set([other]),
    });
  });

  it('include a new organization only where it has a model from the start', () => {
    const events = [event('OrganizationRegistered', 1)];
    expect(changesToEmbed(events, true).positions).toEqual(new Map([[one, 'C1-P1']]));
    expect(changesToEmbed(events, false).positions).toEqual(new Map());
  });
});
