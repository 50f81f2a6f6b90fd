import { changeArticle } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  createTool,
  deleteTool,
  type Tool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import { agentWithArticle, registerOrganization, toolInput } from '@tallyhand/test-kit/api-client';
import { describe, expect, it } from 'vitest';
import { joinAs } from '../testing/members.ts';
import { openSuite, pageOf } from './browser.ts';
import { dialog, dialogIsGone, press } from './steps.ts';

const { product, browser } = await openSuite();

describe('a Viewer', () => {
  it('reads agents, articles, tools and their past, and is offered nothing that changes them', async () => {
    const { client: admin } = await registerOrganization(product.url);
    const { agent, article } = await agentWithArticle(admin);
    const params = { id: article.id };
    await admin.call(changeArticle, { params, body: { title: 'Returns, again' } });
    const { body: tool } = await admin.call<Tool>(createTool, { body: toolInput });
    const { client } = await joinAs(admin, product.url, 'Viewer');
    const page = await pageOf(client, product.url, browser);
    const items = () => page.getByRole('menuitem').allInnerTexts();
    const count = (name: string | RegExp) => () => page.getByRole('button', { name }).count();

    await page.goto(`/agents/${agent.id}`);
    await page.getByRole('heading', { name: 'Support', level: 1 }).waitFor();
    await press(page, 'Actions for Support');
    await page.getByRole('menuitem', { name: 'History' }).waitFor();
    expect((await items()).some((item) => /Duplicate|Edit|Delete|Assign/.test(item))).toBe(false);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByText('API keys that can run it').count()).toBe(0);

    // Nor is the list of deleted agents offered.
    await page.getByRole('link', { name: 'AI Agents', exact: true }).first().click();
    await page.getByRole('article', { name: 'Support' }).waitFor();
    await expect.poll(count('More actions')).toBe(0);

    await page.getByRole('link', { name: 'Knowledge Base', exact: true }).click();
    await press(page, 'Actions for Returns, again');
    await expect.poll(items).toEqual(['Read Article', 'History']);
    await page.getByRole('menuitem', { name: 'History' }).click();
    await dialog(page)
      .getByRole('listitem')
      .filter({ hasText: /^Changed/ })
      .first()
      .waitFor();
    await expect.poll(count(/Restore this|Edit Article/)).toBe(0);
    await press(dialog(page), 'Close');
    await dialogIsGone(page);
    await expect.poll(count(/Add Article|Create Playbook/)).toBe(0);

    await page.getByRole('link', { name: 'Tools', exact: true }).click();
    await press(page, 'Actions for Orders');
    await expect.poll(items).toEqual(['History']);
    await page.getByRole('menuitem', { name: 'History' }).click();
    await dialog(page).getByText('Created').waitFor();
    await expect.poll(() => dialog(page).getByRole('button').count()).toBe(1);
    expect((await client.call(deleteTool, { params: { id: tool.id } })).status).toBe(403);
  });
});
