import type { Command } from 'commander';
import type { Cli } from '../kit/cli.ts';
import { examples } from '../kit/options.ts';

const FOLDERS = `
The folder has one YAML file for each object, in the folders agents, articles, playbooks and
tools. Objects are told apart by name. Files have no credentials.`;

/** Agents as code. What reads files is loaded when it is needed. */
export function asCodeCommands(program: Command, cli: Cli): void {
  program
    .command('export')
    .description('write agents, articles, playbooks and tools as YAML files')
    .argument('<folder>', 'where to write them; files that are there are kept up to date')
    .option('--prune', 'delete the files of what is no longer in Tallyhand')
    .action(async (folder: string, options) => (await actions()).exportTo(cli, folder, options))
    .addHelpText('after', `${FOLDERS}\n${examples('export support', 'export support --prune')}`);
  program
    .command('diff')
    .description('show what apply would change')
    .argument('<folder>', 'with the YAML files')
    .option('--prune', 'delete what no file describes')
    .option('--exit-code', 'exit with 1 if something would change')
    .action(async (folder: string, options) => (await actions()).diff(cli, folder, options))
    .addHelpText('after', `${FOLDERS}\n${examples('diff support', 'diff support --exit-code')}`);
  program
    .command('apply')
    .description('make Tallyhand as the YAML files say')
    .argument('<folder>', 'with the YAML files')
    .option('--prune', 'delete what no file describes; asks first')
    .option(
      '--credentials <file>',
      'of new and moved tools: NAME OF TOOL: {NAME: VALUE}; - is stdin',
    )
    .option('--yes', 'do not ask')
    .action(async (folder: string, options) => (await actions()).apply(cli, folder, options))
    .addHelpText(
      'after',
      `${FOLDERS}
All files are checked before the first change. A second apply changes nothing.
${examples('apply support', 'apply support --prune --yes')}`,
    );
}

const actions = () => import('./commands.ts');
