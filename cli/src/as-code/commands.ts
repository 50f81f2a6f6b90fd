import type { Cli } from '../kit/cli.ts';
import { CommandError, EXIT, failureOf, usageError } from '../kit/failures.ts';
import { confirm } from '../kit/prompt.ts';
import { plural } from '../kit/terminal.ts';
import { Applier } from './apply.ts';
import { lackingCredentials, readCredentials } from './credentials.ts';
import { faultsText, readFolder, writeFolder } from './folder.ts';
import { type Change, type Plan, planOf, unknownNames } from './plan.ts';
import { inOrder, type Present, readPresent } from './present.ts';
import { planJson, planText, titleOf } from './show.ts';
import { type ReadFile, readYaml } from './yaml-file.ts';

/* The actions of `export`, `diff` and `apply`; loaded when one of them is used. */

type Prune = { readonly prune?: true };

export async function exportTo(cli: Cli, folder: string, { prune }: Prune): Promise<void> {
  const { terminal } = cli;
  const present = await readPresent(await cli.client());
  present.refuseSharedNames();
  const items = inOrder(present.items).map((item) => ({
    ...item,
    credentials: [...new Set([...item.credentials, ...(item.credentialsRequired ?? [])])],
  }));
  const { files, left } = await writeFolder(folder, items, prune === true);
  terminal.answer({ files, left }, () => `Wrote ${plural(files.length, 'file')} to ${folder}.`);
  for (const file of left) {
    terminal.note(prune ? `Deleted ${file}.` : `${file} describes what is no longer in Tallyhand.`);
  }
  if (left.length > 0 && !prune) terminal.note('Delete such files with --prune.');
}

type Compared = {
  readonly files: readonly ReadFile[];
  readonly present: Present;
  readonly plan: Plan;
};

async function compare(cli: Cli, folder: string, prune: boolean): Promise<Compared> {
  const read = await readFolder(folder);
  const present = await readPresent(await cli.client());
  const { files, faults: unconnected } = present.connections.check(read);
  const faults = [...unknownNames(files, present, prune), ...unconnected];
  if (faults.length > 0) throw usageError(faultsText(faults));
  return { files, present, plan: planOf(files, present, prune) };
}

type DiffOptions = Prune & { readonly exitCode?: true };

export async function diff(cli: Cli, folder: string, options: DiffOptions): Promise<void> {
  const { terminal } = cli;
  const { plan } = await compare(cli, folder, options.prune === true);
  terminal.answer(planJson(plan), () => planText(terminal, plan));
  if (options.exitCode && plan.changes.length > 0) throw new CommandError(EXIT.failed, '');
}

/** Creates the agent of one file. */
export async function createAgent(cli: Cli, file: string): Promise<void> {
  const client = await cli.client();
  const read = readYaml('agent', file, await cli.read(file));
  if (Array.isArray(read)) throw usageError(faultsText(read));
  const present = await readPresent(client);
  const {
    files: [checked = read],
    faults: unconnected,
  } = present.connections.check([read]);
  const { item } = checked;
  const existing = present.named('agent', item.name);
  if (existing) {
    throw new CommandError(
      EXIT.refused,
      `There is an agent "${item.name}" already (${existing.id}). Change it with: tallyhand apply FOLDER`,
    );
  }
  const faults = [...unknownNames([checked], present, false), ...unconnected];
  if (faults.length > 0) throw usageError(faultsText(faults));
  const made = await new Applier(client, present, {}).create(item);
  cli.terminal.answer(made, () => `Created ${item.name}: ${made.id}`);
}

type ApplyOptions = Prune & { readonly yes?: true; readonly credentials?: string };

export async function apply(cli: Cli, folder: string, options: ApplyOptions): Promise<void> {
  const { terminal } = cli;
  const { files, present, plan } = await compare(cli, folder, options.prune === true);
  const { changes } = plan;
  const given = options.credentials;
  const credentials = given === undefined ? {} : readCredentials(await cli.read(given));
  const lacking = lackingCredentials(changes, files, credentials);
  if (lacking.length > 0) throw usageError(faultsText(lacking));
  const deletions = changes.filter(({ action }) => action === 'delete');
  if (!terminal.isJson) terminal.write(`${planText(terminal, plan)}\n`);
  if (deletions.length > 0) {
    await confirm(terminal, `Delete ${plural(deletions.length, 'object')}?`, options.yes === true);
  }
  const applier = new Applier(await cli.client(), present, credentials);
  const done: Change[] = [];
  const outcome = (failed: string | null) => ({
    ...planJson({ ...plan, changes: done }),
    failed,
    needsCredentials: missingCredentials(files, applier, present, failed !== null),
  });
  const progress = terminal.progress(changes.length);
  try {
    for (const change of changes) {
      progress.show(done.length, `${change.action} ${titleOf(change.item)}`);
      await applier.apply(change);
      done.push(change);
    }
  } catch (error) {
    progress.end();
    const { exitCode, message } = failureOf(error);
    const failed = changes[done.length];
    const at = failed ? `${failed.action} ${titleOf(failed.item)}` : '';
    if (terminal.isJson) terminal.answer(outcome(`${at}: ${message}`), () => '');
    throw new CommandError(
      exitCode,
      `${at}: ${message}\nDone so far: ${listOf(done)}. Run the command again to continue.`,
    );
  }
  progress.end();
  const { needsCredentials } = outcome(null);
  terminal.answer(outcome(null), () =>
    changes.length === 0 ? 'Nothing to change.' : `Made ${plural(changes.length, 'change')}.`,
  );
  for (const { name, credentials } of needsCredentials) {
    terminal.note(
      `Enter the credentials of the tool "${name}" on the page /tools: ${credentials.join(', ')}.`,
    );
  }
}

const listOf = (done: readonly Change[]) =>
  done.map(({ action, item }) => `${action} ${titleOf(item)}`).join(', ') || 'nothing';

function missingCredentials(
  files: readonly ReadFile[],
  applier: Applier,
  present: Present,
  isIncomplete: boolean,
) {
  return files
    .map(({ item }) => item)
    .filter(({ kind, name }) => kind === 'tool' && !(isIncomplete && !present.named(kind, name)))
    .map((item) => ({ name: item.name, credentials: applier.missingCredentials(item) }))
    .filter(({ credentials }) => credentials.length > 0);
}
