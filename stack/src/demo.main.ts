import { randomBytes } from 'node:crypto';
import {
  assignResources,
  createAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { registerUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { createArticle } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { executeTask } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { issueInvitation } from '@tallyhand/contracts/features/team/team.endpoints';
import { demoArticles, demoQuestions } from './demo/articles.ts';
import { demoCaller } from './demo/caller.ts';

const url = process.argv[2] ?? 'http://127.0.0.1:8080';
const password = randomBytes(9).toString('base64url');
const email = `demo-${randomBytes(3).toString('hex')}@example.com`;

async function fill() {
  const call = demoCaller(url);
  const person = { email, username: 'Robin Vale', password };
  await call(registerUser, { ...person, organizationName: 'Northwind Outfitters' });
  const articles: string[] = [];
  for (const article of demoArticles) articles.push((await call(createArticle, article)).id);
  const persona = {
    personality: 'Patient and precise; says so when it does not know',
    communicationStyle: 'friendly',
  };
  const support = await call(createAgent, {
    name: 'Support desk',
    description: 'Answers what customers ask about returns, shipping and the warranty',
    personaConfig: {
      ...persona,
      role: 'Customer support specialist',
      expertise: ['Customer Support', 'Returns', 'Shipping', 'Warranty'],
      responseFormat: 'concise',
    },
  });
  await call(assignResources, { articles }, { id: support.id });
  await call(createAgent, {
    name: 'Workshop',
    description: 'Explains to customers what a repair takes and costs',
    personaConfig: {
      ...persona,
      role: 'Workshop foreman',
      expertise: ['Technical Support'],
      responseFormat: 'structured',
    },
    isActive: false,
  });
  for (const input of demoQuestions) await call(executeTask, { input }, { id: support.id });
  await call(issueInvitation, { email: `editor-${email}`, role: 'Editor' });
}

try {
  await fill();
  console.log(`A filled organization is ready.\n  ${url}/auth\n  ${email}\n  ${password}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
