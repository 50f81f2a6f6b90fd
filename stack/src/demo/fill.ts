import {
  assignResources,
  createAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { registerUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { createArticle } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { issueInvitation } from '@tallyhand/contracts/features/team/team.endpoints';
import { demoAgents } from './agents.ts';
import { demoArticles } from './articles.ts';
import { type DemoCaller, demoCaller } from './caller.ts';

export const demoEmail = 'demo@example.com';

const joining = [
  { email: 'demo.editor@example.com', username: 'Kim Marlow', role: 'Editor' },
  { email: 'demo.viewer@example.com', username: 'Ada Quint', role: 'Viewer' },
];
const invitedOnly = { email: 'demo.manager@example.com', role: 'AgentManager' };

/**
 * Makes an organization to look at through the API of the product at `url`: members, articles,
 * agents and tasks. All members get `password`. Rejects with `email-taken` when it is there already.
 */
export async function fillDemo(url: string, password: string): Promise<void> {
  const admin = demoCaller(url);
  await admin(registerUser, {
    email: demoEmail,
    username: 'Robin Vale',
    password,
    organizationName: 'Northwind Outfitters',
  });
  await addMembers(url, admin, password);
  const articles = new Map<string, string>();
  for (const article of demoArticles) {
    articles.set(article.title, (await admin(createArticle, article)).id);
  }
  for (const { agent, articles: titles, questions } of demoAgents) {
    const { id } = await admin(createAgent, agent);
    const assigned = titles.flatMap((title) => articles.get(title) ?? []);
    if (assigned.length > 0) await admin(assignResources, { articles: assigned }, { id });
    for (const input of questions) await admin(executeTask, { input }, { id });
  }
}

async function addMembers(url: string, admin: DemoCaller, password: string) {
  for (const { email, username, role } of joining) {
    const { token } = await admin(issueInvitation, { email, role });
    await demoCaller(url)(registerUser, { email, username, password, invite: token });
  }
  await admin(issueInvitation, invitedOnly);
}
