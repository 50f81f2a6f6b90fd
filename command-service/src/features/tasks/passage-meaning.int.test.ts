import type { Passage } from '@tallyhand/agent-runtime/engine';
import { openAiEmbedder } from '@tallyhand/agent-runtime/openai/embeddings';
import {
  type EmbeddingsPeer,
  embeddingsPeer,
} from '@tallyhand/agent-runtime/openai/fixtures/embeddings-peer';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { openPool, roleUrl } from '@tallyhand/service-kit/postgres/pool';
import { migrate } from '@tallyhand/stack/application/migrate';
import { testDatabase, testKey } from '@tallyhand/test-kit/backends';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fuseWithMeaning } from './passage-meaning.ts';

const opened = new AsyncDisposableStack();
let pool: pg.Pool;
let peer: EmbeddingsPeer;
let organizationId = '';

/** Texts are alike where they speak of the same of these, whatever the words. */
const meanings = [/canoe|boat|paddle/i, /refund|money|pay/i, /tent|sleep|camp/i];

beforeAll(async () => {
  const database = opened.use(await testDatabase());
  const masterKey = testKey();
  await migrate(database.url, masterKey);
  const url = roleUrl(database.url, masterKey, 'command');
  pool = opened.adopt(openPool(url, 2), (p) => p.end());
  peer = opened.use(
    await embeddingsPeer((text) => [0.1, ...meanings.map((one) => (one.test(text) ? 1 : 0))]),
  );
});
afterAll(() => opened.disposeAsync());
beforeEach(() => {
  peer.failing = null;
  peer.asked.length = 0;
  organizationId = newId();
});

const passage = (text: string): Passage => ({
  articleId: newId(),
  articleVersion: 1,
  articleTitle: 'Notes',
  ordinal: 0,
  heading: null,
  text,
});
const passages = [
  passage('Tents for two are near the lake.'),
  passage('You get your money back within a week.'),
  passage('Every canoe comes with a paddle.'),
];
const [tents, money, canoe] = passages.map(({ text }) => text);

const newEmbedder = (model = 'peer') =>
  openAiEmbedder({ apiKey: 'key of the test', baseURL: peer.baseURL, model });

async function order(question: string, embedder = newEmbedder(), within = organizationId) {
  const found = await fuseWithMeaning(pool, embedder, within, question, passages);
  return found.map(({ text }) => text);
}

describe('fuseWithMeaning', () => {
  it('ranks passages with the same meaning in other words higher', async () => {
    expect((await order('Do you have boats?'))[0]).toBe(canoe);
    expect((await order('Where do we camp?'))[0]).toBe(tents);
    expect((await order('Do you refund?'))[0]).toBe(money);
  });

  it('embeds each passage once per model, and the question each time', async () => {
    await order('boats?');
    await order('camp?');
    await order('boats?', newEmbedder('another'));
    expect(peer.asked.map((texts) => texts.length)).toEqual([4, 1, 4]);
    expect(peer.asked[1]).toEqual(['camp?']);
  });

  it('keeps vectors apart by organization', async () => {
    await order('boats?');
    await order('boats?', newEmbedder(), newId());
    expect(peer.asked.map((texts) => texts.length)).toEqual([4, 4]);
    const { rows } = await pool.query('select * from operational.passage_vectors');
    expect(rows).toEqual([]);
  });

  it('leaves the order by words if there are no vectors', async () => {
    peer.failing = { status: 404 };
    const embedder = newEmbedder();
    expect(await order('boats?', embedder)).toEqual([tents, money, canoe]);
    peer.failing = null;
    expect(await order('boats?', embedder)).toEqual([tents, money, canoe]);
    expect(peer.asked).toHaveLength(1);
  });

  it('embeds no more than fits one request, and the rest the next time', async () => {
    const many = Array.from({ length: 100 }, (_, at) => passage(`Text ${at}`));
    const embedder = newEmbedder();
    const found = await fuseWithMeaning(pool, embedder, organizationId, 'boats?', many);
    expect(found).toHaveLength(100);
    await fuseWithMeaning(pool, embedder, organizationId, 'boats?', many);
    await fuseWithMeaning(pool, embedder, organizationId, 'boats?', many);
    expect(peer.asked.map((texts) => texts.length)).toEqual([64, 38, 1]);
  });
});
