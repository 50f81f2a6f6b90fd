import type { Agent } from '@tallyhand/client';
import { type Command, Option } from 'commander';
import type { Cli } from './kit/cli.ts';
import { allOf, namedAgent, namedArticle, namedPlaybook, namedTool, nameOf } from './kit/named.ts';
import { examples, group, type SortAndSearch, sortedAndSearched } from './kit/options.ts';
import { confirm } from './kit/prompt.ts';

export function agentCommands(program: Command, cli: Cli): void {
  const agents = group(program, 'agents', 'list, show, create and change agents');
  sortedAndSearched(agents.command('list', { isDefault: true }), 'name, description or persona')
    .description('list the agents')
    .addOption(new Option('--state <state>', 'in this state').choices(['active', 'paused']))
    .option('--article <article>', 'to which this article is assigned: its title or id')
    .option('--playbook <playbook>', 'to which this playbook is assigned: its title or id')
    .option('--tool <tool>', 'to which this tool is assigned: its name or id')
    .action((options: ListOptions) => list(cli, options))
    .addHelpText(
      'after',
      examples('agents', 'agents --sort name --state active', 'agents list --tool Orders --json'),
    );
  agents
    .command('show')
    .description('show an agent, and what it may use')
    .argument('<agent>', 'its name or id')
    .action((agent: string) => show(cli, agent))
    .addHelpText('after', examples('agents show Support'));
  agents
    .command('create')
    .description('create an agent from a YAML file, as apply reads it')
    .argument('<file>', 'the file; - reads the standard input')
    .action(async (file: string) => {
      const { createAgent } = await import('./as-code/commands.ts');
      await createAgent(cli, file);
    })
    .addHelpText(
      'after',
      `\nA name that an agent has already is refused: change that one with apply.
${examples('agents create support.yaml', 'agents create - < support.yaml')}`,
    );
  agents
    .command('pause')
    .description('let an agent take no work')
    .argument('<agent>', 'its name or id')
    .action((agent: string) => setActive(cli, agent, false))
    .addHelpText('after', examples('agents pause Support'));
  agents
    .command('activate')
    .description('let a paused agent take work again')
    .argument('<agent>', 'its name or id')
    .action((agent: string) => setActive(cli, agent, true))
    .addHelpText('after', examples('agents activate Support'));
  agents
    .command('delete')
    .description('delete an agent; its tasks stay')
    .argument('<agent>', 'its name or id')
    .option('--yes', 'do not ask')
    .action((agent: string, { yes }: { yes?: true }) => remove(cli, agent, yes === true))
    .addHelpText('after', examples('agents delete Support', 'agents delete Support --yes'));
}

const stateOf = ({ isActive }: Agent) => (isActive ? 'active' : 'paused');

type ListOptions = SortAndSearch & {
  readonly state?: 'active' | 'paused';
  readonly article?: string;
  readonly playbook?: string;
  readonly tool?: string;
};

async function list(cli: Cli, { sort, search, state, ...assigned }: ListOptions) {
  const { terminal } = cli;
  const client = await cli.client();
  const { article, playbook, tool } = assigned;
  const agents = await allOf(
    client.agents.list({
      limit: 500,
      sort,
      q: search,
      isActive: state && (state === 'active' ? 'true' : 'false'),
      articleId: article && (await namedArticle(client, article)).id,
      playbookId: playbook && (await namedPlaybook(client, playbook)).id,
      toolId: tool && (await namedTool(client, tool)).id,
    }),
  );
  terminal.answer(agents, () =>
    terminal.table(
      ['NAME', 'STATE', 'VERSION', 'ID', 'DESCRIPTION'],
      agents.map((one) => [one.name, stateOf(one), `${one.version}`, one.id, one.description]),
    ),
  );
  if (agents.length === 0) terminal.note('No agent matches.');
}

async function show(cli: Cli, wanted: string) {
  const { terminal } = cli;
  const client = await cli.client();
  const agent = await namedAgent(client, wanted);
  const { articles, playbooks, tools } = await client.agents.assignments.retrieve(agent.id);
  const limit = 500;
  const assigned = {
    articles: await allOf(client.articles.list({ limit })),
    playbooks: await allOf(client.playbooks.list({ limit })),
    tools: await allOf(client.tools.list({ limit })),
  };
  const namesOf = (all: readonly { id: string; name?: string; title?: string }[], ids: string[]) =>
    all.filter(({ id }) => ids.includes(id)).map(nameOf);
  const names = {
    articles: namesOf(assigned.articles, articles),
    playbooks: namesOf(assigned.playbooks, playbooks),
    tools: namesOf(assigned.tools, tools),
  };
  const { role, personality, expertise, communicationStyle, responseFormat } = agent.personaConfig;
  terminal.answer({ ...agent, assigned: names }, () =>
    terminal.fields([
      ['name', agent.name],
      ['id', agent.id],
      ['state', stateOf(agent)],
      ['version', `${agent.version}`],
      ['description', agent.description],
      ['role', role],
      ['personality', personality],
      ['expertise', expertise.join(', ')],
      ['style', `${communicationStyle}, ${responseFormat}`],
      ['articles', names.articles.join(', ')],
      ['playbooks', names.playbooks.join(', ')],
      ['tools', names.tools.join(', ')],
    ]),
  );
}

async function setActive(cli: Cli, wanted: string, isActive: boolean) {
  const client = await cli.client();
  const { id, name } = await namedAgent(client, wanted);
  const agent = await client.agents.update(id, { isActive });
  cli.terminal.answer(agent, () => `${name} is ${stateOf(agent)}.`);
}

async function remove(cli: Cli, wanted: string, isYes: boolean) {
  const client = await cli.client();
  const { id, name } = await namedAgent(client, wanted);
  await confirm(cli.terminal, `Delete the agent ${name}?`, isYes);
  await client.agents.delete(id);
  cli.terminal.answer({ id, name, deleted: true }, () => `Deleted ${name}.`);
}
