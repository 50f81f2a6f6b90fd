import type { Command } from 'commander';
import type { Cli } from '../kit/cli.ts';
import { allOf } from '../kit/named.ts';
import { examples, group, type SortAndSearch, sortedAndSearched } from '../kit/options.ts';
import type { ImportOptions } from './import.ts';

export function knowledgeCommands(program: Command, cli: Cli): void {
  const knowledge = group(program, 'knowledge', 'articles that agents answer from');
  sortedAndSearched(knowledge.command('list', { isDefault: true }), 'title, category or tags')
    .description('list the articles')
    .option('--category <name>', 'of this category')
    .option('--tag <tag>', 'with this tag')
    .action((options: ListOptions) => list(cli, options))
    .addHelpText(
      'after',
      examples(
        'knowledge',
        'knowledge --category Sales --sort -updatedAt',
        'knowledge list --json',
      ),
    );
  knowledge
    .command('import')
    .description('make articles of the Markdown, PDF and DOCX files of a folder')
    .argument('<folder>', 'is read with all folders inside')
    .option('--source <name>', 'tells its files from those of other folders (default: its name)')
    .option('--category <name>', 'of new articles', 'Imported')
    .option('--prune', 'delete the articles whose files are gone; asks first')
    .option('--yes', 'do not ask')
    .action(async (folder: string, options: ImportOptions) => {
      const { importFolder } = await import('./import.ts');
      await importFolder(cli, folder, options);
    })
    .addHelpText(
      'after',
      `\nOnly new and changed files are sent. A tag of each article remembers its file, so a second
machine continues where the first one stopped. The exit code is 1 if a file failed.
${examples('knowledge import handbook', 'knowledge import handbook --prune --yes')}`,
    );
}

type ListOptions = SortAndSearch & { readonly category?: string; readonly tag?: string };

async function list(cli: Cli, { sort, search: q, category, tag }: ListOptions) {
  const { terminal } = cli;
  const query = { limit: 500, sort, q, category, tag };
  const articles = await allOf((await cli.client()).articles.list(query));
  terminal.answer(articles, () =>
    terminal.table(
      ['TITLE', 'CATEGORY', 'VERSION', 'ID'],
      articles.map((one) => [one.title, one.category, `${one.version}`, one.id]),
    ),
  );
  if (articles.length === 0) terminal.note('No matching articles.');
}
