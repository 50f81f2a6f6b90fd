import { describe, expect, it } from 'vitest';
import { FairBacklog } from './fair-backlog.ts';
import { FairQueue } from './fair-queue.ts';

/** A table of work that is fetched in the order in which it came. */
class TestTable {
  readonly queue = new FairQueue('backlog', {
    concurrency: 6,
    concurrencyPerOrganization: 4,
    waitingMax: 0,
    waitingPerOrganizationMax: 0,
  });
  readonly backlog = new FairBacklog(this.queue);
  readonly waiting: string[] = [];
  readonly running: { readonly organization: string; readonly end: () => void }[] = [];
  fetches = 0;

  add(organizations: string): void {
    this.waiting.push(...organizations);
  }

  /** Fetches as long as there is something to fetch. */
  fetch(): string {
    for (let ask = this.backlog.next(); ask; ask = this.backlog.next()) {
      this.fetches += 1;
      const { limit, without } = ask;
      const found = this.waiting.filter((each) => !without.includes(each)).slice(0, limit);
      for (const organization of found) {
        this.waiting.splice(this.waiting.indexOf(organization), 1);
        const { promise, resolve } = Promise.withResolvers<void>();
        void this.queue.run(organization, () => promise);
        this.running.push({ organization, end: resolve });
      }
      this.backlog.fetched(ask, found.length);
    }
    return this.now();
  }

  now = () => this.running.map(({ organization }) => organization).join('');

  async end(organization: string): Promise<string> {
    const index = this.running.findIndex((one) => one.organization === organization);
    this.running.splice(index, 1)[0]?.end();
    await new Promise((resolve) => setImmediate(resolve));
    return this.fetch();
  }
}

describe('FairBacklog', () => {
  it('fetches no more of an organization than its cap, and others behind it', () => {
    const table = new TestTable();
    table.add(`${'a'.repeat(1_000)}bc`);
    expect(table.fetch()).toBe('aaaabc');
  });

  it('gives a free place to the organization of which the least is running', async () => {
    const table = new TestTable();
    table.add('a'.repeat(20));
    expect(table.fetch()).toBe('aaaa');
    table.add('b'.repeat(20));
    table.backlog.announced('b');
    expect(table.fetch()).toBe('aaaabb');
    expect(await table.end('a')).toBe('aaabbb');
    table.add('c');
    table.backlog.announced('c');
    expect(await table.end('a')).toBe('aabbbc');
    expect(await table.end('b')).toBe('aabbca');
  });

  it('fetches once for the work of one organization, and not again before it is notified', () => {
    const table = new TestTable();
    table.fetch();
    const before = table.fetches;
    table.add('a');
    table.backlog.announced('a');
    expect(table.fetch()).toBe('a');
    expect(table.fetch()).toBe('a');
    expect(table.fetches).toBe(before + 1);
  });

  it('finds work without a notification', () => {
    const table = new TestTable();
    table.add('aaaa');
    expect(table.fetch()).toBe('aaaa');
    table.add('bb');
    expect(table.fetch()).toBe('aaaa');
    table.backlog.announced();
    expect(table.fetch()).toBe('aaaabb');
  });

  it('remembers notifications that arrive during a fetch', () => {
    const table = new TestTable();
    const ask = table.backlog.next();
    if (!ask) throw new Error('Nothing was asked for');
    table.add('a');
    table.backlog.announced('a');
    table.backlog.fetched(ask, 0);
    expect(table.fetch()).toBe('a');
  });

  it('fetches nothing for an organization at its cap', () => {
    const table = new TestTable();
    table.add('aaaa');
    table.fetch();
    const before = table.fetches;
    table.backlog.announced('a');
    expect([table.backlog.next(), table.fetches]).toEqual([null, before]);
  });

  it('fetches up to the whole cap at once while more places are free than one organization may take', () => {
    const table = new TestTable();
    expect(table.backlog.next()).toEqual({ limit: 4, without: [] });
    table.add('aa');
    table.fetch();
    table.backlog.announced();
    expect(table.backlog.next()).toEqual({ limit: 2, without: [] });
  });

  it('gives no organization more than the others have where places are scarce', async () => {
    const table = new TestTable();
    table.add('aaabb');
    table.fetch();
    for (const organization of ['a', 'b', 'c']) table.backlog.announced(organization);
    expect(table.backlog.next()).toEqual({ limit: 1, without: ['a', 'b'] });
  });
});
