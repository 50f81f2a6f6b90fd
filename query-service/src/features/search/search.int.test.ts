import { randomUUID } from 'node:crypto';
import {
  SEARCH_KINDS,
  type SearchGroup,
  type SearchKind,
} from '@tallyhand/contracts/features/search/search.endpoints';
import { plainRow } from '@tallyhand/read-models/testing/plain-row';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Caller,
  type Columns,
  openTestQueryService,
  type TestQueryService,
} from '../../testing/test-query-service.ts';

let service: TestQueryService;
let own: Caller;
beforeAll(async () => {
  service = await openTestQueryService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(async () => {
  own = await service.caller();
});

const AT = '2026-11-01T00:00:00Z';

/** An object of a kind with a unique name; the other fields do not matter. */
async function add(kind: SearchKind, title: string, columns: Columns = {}): Promise<string> {
  const id = randomUUID();
  const organization_id = own.organizationId;
  if (kind === 'member') {
    await service.insert('members', {
      user_id: id,
      organization_id,
      username: title,
      role: 'Viewer',
      status: 'active',
      email: `${id}@example.com`,
      joined_at: AT,
      ...columns,
    });
  } else {
    await service.insert('search_entries', {
      entry_id: id,
      organization_id,
      kind,
      title,
      description: '',
      tags: '',
      created_at: AT,
      ...columns,
    });
  }
  return id;
}

async function groups(q: string, by: Caller = own, more = ''): Promise<SearchGroup[]> {
  const { status, body } = await service.get(`/api/search?q=${encodeURIComponent(q)}${more}`, by);
  expect(status).toBe(200);
  return body as SearchGroup[];
}

const titles = async (q: string) =>
  (await groups(q)).flatMap(({ hits }) => hits.map(({ title }) => title));

describe('GET /api/search', () => {
  it('finds every kind by a part of its name, whatever the case', async () => {
    for (const kind of SEARCH_KINDS) {
      const id = await add(kind, `A Quarterly ${kind}`);
      expect(await groups(`RTERLY ${kind}`), kind).toMatchObject([{ kind, hits: [{ id }] }]);
    }
    expect(await groups('quarterly')).toHaveLength(SEARCH_KINDS.length);
  });

  it('requires all words, in any order, in the name or other fields', async () => {
    await add('agent', 'Refund desk', { description: 'Answers customers about returns' });
    await add('agent', 'Another desk');
    expect(await titles('customers refund')).toEqual(['Refund desk']);
    expect(await titles('customers another')).toEqual([]);
  });

  it('ranks the exact name first, then its prefix, a word of it, a part, other fields', async () => {
    const names = ['Invoice', 'Invoice rules', 'Our invoice', 'Reinvoice', 'Bills'];
    for (const name of [...names].reverse()) {
      await add('article', name, name === 'Bills' ? { tags: 'invoice' } : {});
    }
    expect(await titles('invoice')).toEqual(names);
  });

  it('puts the kind with the best hit first', async () => {
    await add('agent', 'About tariffs');
    await add('tool', 'Tariffs');
    expect((await groups('tariffs')).map(({ kind }) => kind)).toEqual(['tool', 'agent']);
  });

  it('finds an article by its text, words in any form, once', async () => {
    const passage = async (title: string, language: string, text: string) => {
      const id = await add('article', title);
      await service.insert('articles', {
        ...plainRow('articles'),
        article_id: id,
        organization_id: own.organizationId,
        title,
        content: text,
        language,
        category: 'General',
        tags: '{}',
        is_public: 'true',
        version: 1,
        created_at: AT,
      });
      await service.admin.query(
        `insert into read_model.passages values
           ($1, $2, 1, 1, 'A heading', $4, gen_random_uuid(), to_tsvector($3::regconfig, $4), true)`,
        [own.organizationId, id, language, text],
      );
      return id;
    };
    await passage('Leave', 'english', 'Employees were running the marathon');
    await passage('Ferien', 'german', 'Die Häuser stehen leer');
    const english = { title: 'Leave', detail: 'A heading' };
    expect(await groups('run marathons')).toMatchObject([{ kind: 'article', hits: [english] }]);
    expect(await titles('Haus')).toEqual(['Ferien']);
    await passage('Marathon', 'english', 'A marathon is long');
    expect(await titles('marathon')).toEqual(['Marathon', 'Leave']);
  });

  it('never repeats the title of a hit in its detail', async () => {
    const article = async (title: string, text: string) => {
      const id = await add('article', title);
      await service.insert('articles', {
        ...plainRow('articles'),
        article_id: id,
        organization_id: own.organizationId,
        title,
        content: text,
        category: 'House',
        tags: '{}',
        is_public: 'true',
        version: 1,
        created_at: AT,
        language: 'simple',
      });
      await service.admin.query(
        `insert into read_model.passages
         values ($1, $2, 1, 1, null, $3, gen_random_uuid(),
           to_tsvector('simple', $3 || ' lantern'), true)`,
        [own.organizationId, id, text],
      );
    };
    const details = async (q: string) =>
      (await groups(q)).flatMap(({ hits }) => hits.map(({ detail }) => detail));
    await article('Oil lamps', 'Oil lamps\n\nTrim the wick.');
    expect(await details('lantern')).toEqual(['Trim the wick.']);
    await article('Candles', 'Candles');
    expect((await details('lantern')).toSorted()).toEqual(['House', 'Trim the wick.']);
    await add('agent', 'Watchman', { label: 'watchman' });
    expect(await details('watchman')).toEqual([null]);
  });

  it('offers similar names when nothing contains the words', async () => {
    await add('agent', 'Customer Support');
    await add('playbook', 'Onboarding');
    expect(await titles('Custmer Suport')).toEqual(['Customer Support']);
    expect(await titles('Onbording')).toEqual(['Onboarding']);
    expect(await titles('Zebra crossing')).toEqual([]);
  });

  it('treats special characters of patterns and queries literally', async () => {
    await add('tool', String.raw`100% of C:\temp_a 'quoted' & (x | !y)`);
    await add('tool', 'Plain');
    for (const q of ['%', '_', '\\', "'", '(x |', '!y)', '100% \\temp_a']) {
      expect(await titles(q), q).toHaveLength(1);
    }
    expect(await titles('Pl%n')).toEqual([]);
  });

  it("shows the beginning of a task's request, and its agent", async () => {
    const agent_id = randomUUID();
    await service.agentNamed(own.organizationId, agent_id, 'Clerk');
    await add('task', `Sum up ${'x'.repeat(400)}`, { agent_id });
    const [group] = await groups('sum up');
    expect(group).toMatchObject({ kind: 'task', hits: [{ detail: 'Clerk' }] });
    expect(group?.hits[0]?.title).toHaveLength(200);
  });

  it('returns the newest five of each kind, or as many as requested', async () => {
    for (let day = 1; day <= 7; day++) {
      await add('task', `Report ${day}`, { created_at: `2026-11-0${day}T00:00:00Z` });
    }
    expect(await titles('report')).toEqual([7, 6, 5, 4, 3].map((day) => `Report ${day}`));
    expect((await groups('report', own, '&limit=7'))[0]?.hits).toHaveLength(7);
    expect((await service.get('/api/search?q=report&limit=21', own)).status).toBe(422);
    expect((await service.get(`/api/search?q=${'x'.repeat(201)}`, own)).status).toBe(422);
  });

  /** Newer tasks than all others. */
  const addNewer = (count: number) =>
    service.admin.query(
      `insert into read_model.search_entries
         (entry_id, organization_id, kind, title, description, tags, created_at)
       select gen_random_uuid(), $1, 'task', 'Check invoice no ' || n, '', '',
         $2::timestamptz + n * interval '1 minute' from generate_series(1, $3) n`,
      [own.organizationId, AT, count],
    );

  it('finds something old by a rare word, however common a longer word beside it is', async () => {
    await add('task', 'Pay invoice 4711 of the harbor');
    await addNewer(400);
    expect(await titles('invoice 4711')).toEqual(['Pay invoice 4711 of the harbor']);
    expect(await titles('harbor invoice')).toEqual(['Pay invoice 4711 of the harbor']);
  });

  it('finds something by two letters among the newest thousand', async () => {
    await add('task', 'Pay zq what is due');
    await addNewer(900);
    expect(await titles('zq')).toEqual(['Pay zq what is due']);
    await addNewer(100);
    expect(await titles('zq')).toEqual([]);
  });

  it('finds nothing for an empty query', async () => {
    await add('agent', 'Clerk');
    expect((await service.get('/api/search', own)).body).toEqual([]);
    expect(await groups('  ')).toEqual([]);
  });

  it('hides deleted objects and former members', async () => {
    await add('agent', 'Deleted clerk', { deleted_at: AT });
    expect(await titles('deleted')).toEqual([]);
    await add('member', 'Somebody Erased', { status: 'erased' });
    expect(await titles('somebody')).toEqual([]);
  });

  it('shows members to Admins only', async () => {
    await add('member', 'Somebody');
    const viewer = await service.caller('Viewer', own.organizationId);
    expect(await groups('somebody', viewer)).toEqual([]);
    expect(await groups('somebody')).toMatchObject([{ kind: 'member' }]);
  });

  it("never shows another organization's objects", async () => {
    for (const kind of SEARCH_KINDS) await add(kind, 'Confidential plan');
    const stranger = await service.caller();
    expect(await groups('confidential plan', stranger)).toEqual([]);
    expect(await groups('confidental plam', stranger)).toEqual([]);
  });
});
