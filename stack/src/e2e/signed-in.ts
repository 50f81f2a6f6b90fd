import { type Agent, createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import type { TestProduct } from '../testing/product.ts';
import type { TestBrowser } from './browser.ts';

/** A page that is signed in as the client is. */
export async function pageOf(client: ApiClient, url: string, browser: TestBrowser) {
  const page = await browser.newPage(url);
  const cookies = [...client.cookies].map(([name, value]) => ({ name, value, url }));
  await page.context().addCookies(cookies);
  return page;
}

/** A new organization with one agent, and a page that is signed in as its Admin. */
export async function agentOwner({ url }: TestProduct, browser: TestBrowser) {
  const { client, user } = await registerOrganization(url);
  const agent = await client.call<Agent>(createAgent, { body: agentInput });
  const page = await pageOf(client, url, browser);
  const own = { organizationId: user.organization.id, userId: user.id, agentId: agent.body.id };
  return { client, user, own, page };
}
