import {
  assignResources,
  createAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { registerUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  changeArticle,
  createArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { createPlaybook } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { issueInvitation } from '@tallyhand/contracts/features/team/team.endpoints';
import { createTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { type DemoCaller, demoCaller } from './caller.ts';
import { demoAgents, demoArticles, demoPlaybooks, demoTools } from './examples.ts';

export const demoEmail = 'demo@example.com';

const joining = [
  { email: 'demo.editor@example.com', username: 'Kim Marlow', role: 'Editor' },
  { email: 'demo.viewer@example.com', username: 'Ada Quint', role: 'Viewer' },
];
const invitedOnly = { email: 'demo.manager@example.com', role: 'AgentManager' };

/**
 * Creates a sample organization through the API of the product at `url`: members, articles,
 * playbooks, tools, agents and tasks. All members get `password`. Rejects with `email-taken` if it
 * exists already.
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
    articles.set(article.title, await writeTwice(admin, article));
  }
  const playbooks = await writePlaybooks(admin);
  const tools = new Map<string, string>();
  for (const tool of demoTools) tools.set(tool.name, (await admin(createTool, tool)).id);
  for (const { agent, articles: titles, questions, ...rest } of demoAgents) {
    const { id } = await admin(createAgent, agent);
    const assigned = titles.flatMap((title) => articles.get(title) ?? []);
    const followed = playbooks.get(agent.name) ?? [];
    const used = rest.tools.flatMap((name) => tools.get(name) ?? []);
    if (assigned.length + followed.length + used.length > 0) {
      const resources = { articles: assigned, playbooks: followed, tools: used };
      await admin(assignResources, resources, { id });
    }
    for (const input of questions) await admin(executeTask, { input }, { id });
    for (const run of rest.runs) await admin(executeTask, run, { id });
  }
}

/** First without its last paragraph, so that its history has something to show. */
async function writeTwice(admin: DemoCaller, article: (typeof demoArticles)[number]) {
  const { content } = article;
  const draft = content.slice(0, content.trimEnd().lastIndexOf('\n\n'));
  const { id } = await admin(createArticle, { ...article, content: draft });
  await admin(changeArticle, { content }, { id });
  return id;
}

/** The ids of the created objects, by the name of the agent that uses them. */
async function writePlaybooks(admin: DemoCaller): Promise<Map<string, string[]>> {
  const byAgent = new Map<string, string[]>();
  for (const { agents, playbook } of demoPlaybooks) {
    const { id } = await admin(createPlaybook, playbook);
    for (const name of agents) byAgent.set(name, [...(byAgent.get(name) ?? []), id]);
  }
  return byAgent;
}

async function addMembers(url: string, admin: DemoCaller, password: string) {
  for (const { email, username, role } of joining) {
    const { token } = await admin(issueInvitation, { email, role });
    await demoCaller(url)(registerUser, { email, username, password, invite: token });
  }
  await admin(issueInvitation, invitedOnly);
}
