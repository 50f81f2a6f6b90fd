import {
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { searchPassages } from '@tallyhand/command-service/features/tasks/search-passages';
import {
  type Article,
  changeArticle,
  createArticle,
  deleteArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  getMeaningSearch,
  type MeaningSearch,
} from '@tallyhand/contracts/features/models/meaning-search.endpoints';
import { openPool, roleUrl } from '@tallyhand/service-kit/postgres/pool';
import { type ApiClient, registerOrganization } from '@tallyhand/test-kit/api-client';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

let product: OwnProduct;
let endpoint: Peer;
/** What the embedding model of the installation waits for. */
let endpointAnswers: Promise<void> = Promise.resolve();
let pool: pg.Pool;
let client: ApiClient;
let organizationId = '';
const ids = new Map<string, string>();

const texts = {
  german: {
    title: 'Rücksendungen',
    content:
      'Die Rückgabefrist beträgt dreißig Tage. Beschädigte Artikel werden von uns ersetzt. ' +
      'Für die Rücksendung legen Sie bitte den Lieferschein in das Paket.',
  },
  german2: {
    title: 'Öffnungszeiten',
    content: 'Unsere Läden sind montags bis freitags von neun bis achtzehn Uhr geöffnet.',
  },
  french: {
    title: 'Livraison',
    content:
      'Les commandes sont livrées en trois jours ouvrés. Les colis volumineux sont expédiés par ' +
      'un transporteur, qui vous appelle avant son passage.',
  },
  dutch: {
    title: 'Garantie',
    content: 'Op alle fietsen geven wij twee jaar garantie. De remmen vallen daar niet onder.',
  },
  japanese: {
    title: '返品について',
    content: '返品の期限は三十日です。送料は五百円です。営業時間は九時から十八時までです。',
  },
  english: {
    title: 'Kayaks',
    content: 'A kayak is rented with its paddle. The deposit is refunded when it comes back dry.',
  },
  english2: { title: 'Tents', content: 'Children sleep in tents of their own, near the lake.' },
};
type Name = keyof typeof texts;

beforeAll(async () => {
  endpoint = await openAiPeer(async (response, { body }) => {
    await endpointAnswers;
    const { input } = body as unknown as { input: string[] };
    const data = input.map((_, index) => ({ index, embedding: [1, -1] }));
    return sendJson(response, 200, { data });
  });
  const model = { openAiBaseUrl: endpoint.baseURL, openAiEmbeddingModel: 'of-the-installation' };
  product = await startTestProduct({ model });
  const { databaseUrl, masterKey } = product.config;
  pool = openPool(roleUrl(databaseUrl, masterKey, 'command'), 2);
  const registered = await registerOrganization(product.url);
  client = registered.client;
  organizationId = registered.user.organization.id;
  for (const [name, text] of Object.entries(texts)) ids.set(name, (await write(client, text)).id);
});
afterAll(async () => {
  await pool.end();
  await product[Symbol.asyncDispose]();
  await endpoint[Symbol.asyncDispose]();
});

async function write(by: ApiClient, text: { title: string; content: string }, isPublic = false) {
  const body = { ...text, category: 'General', isPublic };
  const written = await by.call<Article>(createArticle, { body });
  expect(written.status).toBe(201);
  await arrived(by, written.body.id);
  return written.body;
}

/** A read waits until the read models have the change. */
const arrived = (by: ApiClient, id: string) => by.send('GET', `/api/knowledge/${id}`);

const idOf = (name: Name) => ids.get(name) ?? expect.fail();

async function find(question: string, articles = [...ids.values()], within = organizationId) {
  const asked = { organizationId: within, articles, question };
  const passages = await searchPassages(pool, asked);
  return passages.map(({ articleId }) => articleId);
}

describe('searchPassages', () => {
  it.each<[Name, string]>([
    ['german', 'Was passiert, wenn ein Artikel beschädigt ist?'],
    ['german', 'Welche Fristen gelten für die Rückgaben?'],
    ['german2', 'Wann öffnet der Laden am Montag?'],
    ['french', 'Quand ma commande est-elle livrée ?'],
    ['french', 'Qui expédie un colis volumineux ?'],
    ['dutch', 'Hoeveel garantie krijg ik op een fiets?'],
    ['english', 'Who rents kayaks?'],
    ['english2', 'Where does a child sleep?'],
  ])('finds inflected words: %s, %s', async (name, question) => {
    expect((await find(question))[0]).toBe(idOf(name));
  });

  it.each<[Name, string]>([
    ['german', 'Wie lang ist die Ruckgabefrist?'],
    ['french', 'Comment sont expedies les colis ?'],
  ])('ignores accents: %s, %s', async (name, question) => {
    expect((await find(question))[0]).toBe(idOf(name));
  });

  it.each<[Name, string]>([
    ['english', 'How high is the deposite for a kajak?'],
    ['german', 'Wo liegt der Lieferscheihn?'],
    ['french', 'Un trasporteur vient-il ?'],
  ])('tolerates typing errors: %s, %s', async (name, question) => {
    expect((await find(question))[0]).toBe(idOf(name));
  });

  it.each<[Name, string]>([
    ['german2', 'Hat das Geschäft offen?'],
    ['french', 'Qui apporte un paquet encombrant ?'],
    ['japanese', '返却までの日数'],
    ['english', 'What about the caution?'],
  ])('finds synonyms: %s, %s', async (name, question) => {
    expect((await find(question))[0]).toBe(idOf(name));
  });

  it('finds the part of a German compound', async () => {
    expect((await find('Gibt es eine Frist?'))[0]).toBe(idOf('german'));
  });

  it('finds Japanese, which has no spaces', async () => {
    expect((await find('返品の期限はいつですか？'))[0]).toBe(idOf('japanese'));
    expect((await find('営業時間を教えてください'))[0]).toBe(idOf('japanese'));
  });

  it('finds nothing where no word fits, or where there is none', async () => {
    expect(await find('Quantum chromodynamics?')).toEqual([]);
    expect(await find('?')).toEqual([]);
    expect(await find('')).toEqual([]);
    expect(await find(`' | !& <-> :* \\ "kay'ak`)).toEqual(await find('kay ak'));
  });

  it('searches only assigned and public articles', async () => {
    const question = 'Where do zebras graze?';
    const text = { title: 'Zebras', content: 'Zebras graze on the savanna near the river.' };
    const { id } = await write(client, text);
    expect(await find(question)).toEqual([]);
    expect(await find(question, [id])).toEqual([id]);
    const shown = await write(client, { ...text, title: 'Public zebras' }, true);
    expect(await find(question, [])).toEqual([shown.id]);
  });

  it('searches only the newest version, and no deleted articles', async () => {
    const content = 'The okapi lives alone in the forest.';
    const { id } = await write(client, { title: 'Animals', content });
    expect(await find('Where does the okapi live?', [id])).toEqual([id]);
    const body = { content: 'The quokka lives in groups on an island.' };
    const params = { id };
    expect((await client.call(changeArticle, { params, body })).status).toBe(200);
    await arrived(client, id);
    expect(await find('okapi forest', [id])).toEqual([]);
    expect(await find('Where does the quokka live?', [id])).toEqual([id]);
    expect((await client.call(deleteArticle, { params })).status).toBeLessThan(300);
    await arrived(client, id);
    expect(await find('quokka', [id])).toEqual([]);
  });

  it("never shows one organization another's text, public or named", async () => {
    const { client: other, user } = await registerOrganization(product.url);
    const text = { title: 'Secrets', content: 'The narwhal sleeps under the ice of the fjord.' };
    const theirs = await write(other, text, true);
    const within = user.organization.id;
    expect(await find('Where does the narwhal sleep?', [], within)).toEqual([theirs.id]);
    expect(await find('Where does the narwhal sleep?', [theirs.id])).toEqual([]);
    expect(await find('Who rents kayaks?', [...ids.values()], within)).toEqual([]);
  });

  it('shows nothing to a caller that set no organization', async () => {
    const found = await pool.query('select * from read_model.find_passages($1, $2, $3)', [
      ['kayak'],
      [...ids.values()],
      10,
    ]);
    expect(found.rows).toEqual([]);
  });
});

describe('the embedding model of the installation', () => {
  it('embeds the articles of organizations that chose none, and goes on after a restart', async () => {
    const stuck = Promise.withResolvers<void>();
    endpointAnswers = stuck.promise;
    const { client: other } = await registerOrganization(product.url);
    await write(other, texts.english);
    const state = async () => (await other.call<MeaningSearch>(getMeaningSearch, {})).body;
    const before = endpoint.received.length;
    await expect.poll(() => endpoint.received.length).toBeGreaterThan(before);
    expect(await state()).toMatchObject({ source: 'default', articles: 1, embedded: 0 });
    await product.restart();
    endpointAnswers = Promise.resolve();
    stuck.resolve();
    await vi.waitFor(async () =>
      expect(await state()).toMatchObject({
        model: 'of-the-installation',
        embedded: 1,
        isEstimated: true,
      }),
    );
  });
});
