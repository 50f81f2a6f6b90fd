import {
  type Agent,
  type Assignments,
  assignResources,
  createAgent,
  getAssignments,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type Article,
  createArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { joinAs } from '../testing/members.ts';
import { expectAccessible, openSuite, pageOf } from './browser.ts';
import { anArticle, chooseFromMenu, dialog, dialogIsGone, press } from './steps.ts';

const { product, browser } = await openSuite();

describe('the resources of an agent that two members choose', () => {
  it('are those of both', async () => {
    const { client } = await registerOrganization(product.url);
    const other = await joinAs(client, product.url, 'Editor');
    const params = { id: (await client.call<Agent>(createAgent, { body: agentInput })).body.id };
    const ids: string[] = [];
    for (const title of ['Returns', 'Delivery', 'Warranty']) {
      const body = { ...anArticle, title };
      ids.push((await client.call<Article>(createArticle, { body })).body.id);
    }
    const [returns, delivery, warranty] = ids;
    await client.call(assignResources, { params, body: { articles: [returns] } });
    const mine = await pageOf(client, product.url, browser);
    const theirs = await pageOf(other.client, product.url, browser);
    const panel = dialog(mine).getByRole('region', { name: /while you were editing/ });
    const box = (page: Page, name: string) => dialog(page).getByRole('checkbox', { name });
    for (const page of [mine, theirs]) {
      await page.goto('/agents');
      await chooseFromMenu(page, 'Support', 'Assign Resources');
      await box(page, 'Returns').waitFor();
    }
    // This page does not hear of the other change before it saves.
    browser.mayComplain(/ERR_FAILED/);
    await mine.route('**/assignments', (route) => route.abort());
    await box(theirs, 'Returns').click();
    await box(theirs, 'Delivery').click();
    await press(dialog(theirs), 'Assign Resources');
    await dialogIsGone(theirs);

    await box(mine, 'Warranty').click();
    const sent = mine.waitForRequest((request) => request.url().endsWith('/assign'));
    await press(dialog(mine), 'Assign Resources');
    expect((await sent).headers()['if-match']).toBe('"1"');
    await mine.unrouteAll();
    await panel.and(mine.locator(':focus')).waitFor();
    await panel.getByText(/^The Editor · /).waitFor();
    await expect.poll(() => panel.locator('del').allInnerTexts()).toEqual(['Returns']);
    await expect.poll(() => panel.locator('ins').allInnerTexts()).toEqual(['Delivery']);
    const ticked = ['Returns', 'Delivery', 'Warranty'].map((name) => box(mine, name).isChecked());
    expect(await Promise.all(ticked)).toEqual([false, true, true]);
    await expectAccessible(mine);
    await press(dialog(mine), 'Save both changes');
    await dialogIsGone(mine);
    const assigned = async () => (await client.call<Assignments>(getAssignments, { params })).body;
    await expect
      .poll(async () => (await assigned()).articles.toSorted())
      .toEqual([delivery, warranty].toSorted());
  });
});
