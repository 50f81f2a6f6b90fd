import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { docxOf, paragraph } from '@tallyhand/agent-runtime/import/fixtures/zip';
import type { Article } from '@tallyhand/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandLineHere, newcomerWithAgent, signedInNewcomer } from '../testing/command-line.ts';
import { pastSession } from '../testing/past-sessions.ts';
import { sharedProduct } from '../testing/product.ts';

let homes: string;
beforeAll(async () => {
  homes = await mkdtemp(join(tmpdir(), 'command-line-work-'));
});
afterAll(() => rm(homes, { recursive: true }));

const here = () => CommandLineHere.in(homes);

describe('tallyhand knowledge import', () => {
  /** A folder with a Markdown and a Word file. */
  async function handbook() {
    const person = await signedInNewcomer(await here());
    const folder = join(person.cli.home, 'handbook');
    await mkdir(join(folder, 'shop'), { recursive: true });
    await writeFile(join(folder, 'returns.md'), '# Returns\n\nWithin 30 days.\n');
    const terms = (text: string) =>
      writeFile(
        join(folder, 'shop', 'terms.docx'),
        docxOf(paragraph('Terms', 'Heading1') + paragraph(text)),
      );
    await terms('Pay within two weeks.');
    await writeFile(join(folder, 'shop', 'notes.txt'), 'Not imported.');
    return { ...person, folder, terms };
  }

  it('sends new and changed files only, also from a second machine', async () => {
    const { cli, client, url, key, folder, terms } = await handbook();
    expect(await cli.do('knowledge', 'import', folder)).toBe(
      '2 created, 0 updated, 0 unchanged, 0 failed.\n',
    );
    const created = await cli.json<Article[]>('knowledge');
    expect(created.map(({ title, category }) => [title, category]).toSorted()).toEqual([
      ['Returns', 'Imported'],
      ['Terms', 'Imported'],
    ]);
    const second = await here();
    await second.run(['login', url], { stdin: key });
    const again = await second.json<{ unchanged: string[] }>('knowledge', 'import', folder);
    expect(again.unchanged).toEqual(['returns.md', 'shop/terms.docx']);

    const [returns] = created.filter(({ title }) => title === 'Returns');
    await client.articles.update(returns?.id ?? '', { tags: [...(returns?.tags ?? []), 'shop'] });
    await writeFile(join(folder, 'returns.md'), '# Returns\n\nWithin 60 days.\n');
    await terms('Pay within three weeks.');
    expect(await second.do('knowledge', 'import', folder)).toContain('2 updated, 0 unchanged');
    const after = await cli.json<Article[]>('knowledge');
    expect(after.map(({ id }) => id).toSorted()).toEqual(created.map(({ id }) => id).toSorted());
    const changed = after.find(({ title }) => title === 'Returns');
    expect(changed).toMatchObject({ content: expect.stringContaining('60 days') });
    expect(changed?.tags).toContain('shop');
    const changedTerms = after.find(({ title }) => title === 'Terms');
    expect(changedTerms?.content).toContain('three weeks');
    // The file was no article of its own in between.
    expect((await client.articles.history.list(changedTerms?.id ?? '')).data).toHaveLength(2);
    expect((await client.deletions.list()).data).toEqual([]);
  });

  it('imports the other files when some fail, and exits with 1', async () => {
    const { cli, folder } = await handbook();
    await writeFile(join(folder, 'broken.pdf'), 'no PDF');
    await writeFile(join(folder, 'empty.md'), '');
    const { code, stdout, stderr } = await cli.run(['knowledge', 'import', folder]);
    expect([code, stdout]).toEqual([1, '2 created, 0 updated, 0 unchanged, 2 failed.\n']);
    expect(stderr).toMatch(/^broken\.pdf: .+\nempty\.md: .+/);
  });

  it('deletes the articles of deleted files with --prune, and leaves other folders alone', async () => {
    const { cli, folder } = await handbook();
    await cli.do('knowledge', 'import', folder);
    await cli.do('knowledge', 'import', folder, '--source', 'other');
    await rm(join(folder, 'returns.md'));
    expect(await cli.do('knowledge', 'import', folder)).toContain('files of 1 article are gone');
    expect((await cli.run(['knowledge', 'import', folder, '--prune'])).code).toBe(2);
    await cli.do('knowledge', 'import', folder, '--prune', '--yes');
    const titles = (await cli.json<Article[]>('knowledge')).map(({ title }) => title);
    expect(titles.toSorted()).toEqual(['Returns', 'Terms', 'Terms']);
  });
});

describe('tallyhand sessions watch', () => {
  it('prints the steps of a session, and its outcome', async () => {
    const { cli, admin, user, agent } = await newcomerWithAgent(await here());
    const { config } = await sharedProduct();
    const own = { organizationId: user.organization.id, userId: user.id, agentId: agent.id };
    const { sessionId } = await pastSession(config, admin, own);
    const lines = (await cli.do('sessions', 'watch', sessionId)).trim().split('\n');
    expect(lines[0]).toBe('completed');
    expect(lines.slice(1, -1).length).toBeGreaterThan(1);
    expect(lines.slice(1, -1).filter((line) => !/^[✓✗…] \d+\. /.test(line))).toEqual([]);
    expect(lines.at(-1)).toBe('S is the cheapest.');
  });
});

describe('tallyhand audit', () => {
  it('exports the log, and verifies it without a sign-in', async () => {
    const { cli } = await signedInNewcomer(await here());
    const file = (name: string) => join(cli.home, name);
    const [audit, pack, later] = [file('audit.zip'), file('pack.zip'), file('later.zip')];
    const [key, kept] = [file('key.pem'), file('kept.json')];
    const exportLog = ['audit', 'export', '--output'];
    expect(await cli.do(...exportLog, audit)).toMatch(/^\d+ entries of \d+/);
    await writeFile(key, await cli.do('audit', 'keys'));
    await writeFile(kept, await cli.do('audit', 'checkpoint'));
    await cli.do(...exportLog, later, '--since', kept, '--kind', 'agent');
    const today = new Date().toISOString().slice(0, 10);
    const evidence = ['audit', 'evidence', '--from', today, '--output', pack];
    expect((await cli.run([...evidence, '--to', '2999-01-01'])).stderr).toContain('future');
    expect(await cli.do(...evidence, '--to', today)).toContain('pack.zip');
    await cli.do('logout');
    expect(await cli.do('audit', 'verify', pack, '--key', key)).toContain('unchanged');
    const keyless = await cli.run(['audit', 'verify', pack]);
    expect([keyless.code, keyless.stderr]).toEqual([2, expect.stringContaining('names no key')]);
    const packLater = ['audit', 'verify', pack, '--key', key, '--at-least', '1'];
    expect((await cli.run(packLater)).code).toBe(2);
    const verifyLater = ['audit', 'verify', later, '--key', key];
    expect(await cli.do(...verifyLater, '--since', kept)).toContain('earlier checkpoint');
    for (const wrong of [
      ['--at-least', '1000'],
      ['--organization', 'other'],
    ]) {
      expect((await cli.run([...verifyLater, ...wrong])).code).toBe(1);
    }
    for (const wrong of [
      ['--since', file('none.json')],
      ['--since', key],
      ['--at-least', 'x'],
    ]) {
      expect((await cli.run([...verifyLater, ...wrong])).code).toBe(2);
    }
    expect(await cli.do('audit', 'verify', audit, '--key', key)).not.toBe('');
    const twice = await cli.run([...exportLog, audit]);
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('exists already')]);
    const bytes = await readFile(audit);
    const at = bytes.indexOf('OrganizationRegistered');
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await writeFile(file('altered.zip'), bytes);
    const altered = await cli.run(['audit', 'verify', file('altered.zip'), '--key', key]);
    expect([altered.code, altered.stderr]).toEqual([
      1,
      expect.stringContaining('not as Tallyhand'),
    ]);
    expect((await cli.run(['audit', 'verify', audit, '--key', 'nonsense'])).code).toBe(2);
  });
});
