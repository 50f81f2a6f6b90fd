import { structuredPatch } from 'diff';
import { oneLine, plural, printable, type Terminal } from '../kit/terminal.ts';
import type { Item } from './kinds.ts';
import type { Change, Plan } from './plan.ts';
import { writeYaml } from './yaml-file.ts';

const CONTEXT_LINES = 2;
const MARKS = { create: '+', update: '~', delete: '-' } as const;
const STYLES = { create: 'green', update: 'yellow', delete: 'red' } as const;

export const titleOf = ({ kind, name }: Pick<Item, 'kind' | 'name'>) =>
  `${kind} "${oneLine(name)}"`;

/** A plan for a person to read: each change with the lines that differ. */
export function planText(terminal: Terminal, plan: Plan): string {
  const blocks = plan.changes.map((change) => {
    const head = `${MARKS[change.action]} ${titleOf(change.item)}${placeOf(change)}`;
    const lines = change.action === 'update' ? patchLines(terminal, change) : [];
    return [terminal.paint(STYLES[change.action], head), ...lines].join('\n');
  });
  return [...blocks, summaryOf(plan)].join('\n');
}

const placeOf = (change: Change) => (change.action === 'delete' ? '' : `  (${change.file})`);

function patchLines(terminal: Terminal, change: Change & { action: 'update' }): string[] {
  const { item, present, droppedCredentials } = change;
  // Credentials are no part of what is changed.
  const text = (one: Item) => writeYaml({ ...one, credentials: [] });
  const { hunks } = structuredPatch('', '', text(present), text(item), '', '', {
    context: CONTEXT_LINES,
  });
  const lines = hunks.flatMap((hunk, index) => [
    ...(index > 0 ? ['    …'] : []),
    ...hunk.lines.map((line) => painted(terminal, `    ${printable(line)}`, line[0])),
  ]);
  if (droppedCredentials.length === 0) return lines;
  const warning = `    ! its credentials (${droppedCredentials.join(', ')}) are deleted, because it would send them elsewhere`;
  return [...lines, terminal.paint('yellow', warning)];
}

function painted(terminal: Terminal, line: string, mark: string | undefined): string {
  if (mark === '+') return terminal.paint('green', line);
  return mark === '-' ? terminal.paint('red', line) : terminal.paint('dim', line);
}

function summaryOf({ changes, unchanged, extra }: Plan): string {
  const count = (action: Change['action']) =>
    changes.filter((change) => change.action === action).length;
  const isPruned = count('delete') > 0;
  const parts = [
    `${count('create')} to create`,
    `${count('update')} to update`,
    ...(isPruned ? [`${count('delete')} to delete`] : []),
    `${unchanged} unchanged`,
  ];
  const left =
    isPruned || extra.length === 0
      ? ''
      : ` ${plural(extra.length, 'object')} in no file; see --prune.`;
  return `${parts.join(', ')}.${left}`;
}

/** A plan for programs. */
export const planJson = ({ changes, unchanged, extra }: Plan) => ({
  changes: changes.map((change) => ({
    action: change.action,
    kind: change.item.kind,
    name: change.item.name,
    ...(change.action !== 'delete' && { file: change.file }),
    ...(change.action === 'update' && {
      fields: [...change.fields, ...(change.isReassigned ? ['assignments'] : [])],
      droppedCredentials: change.droppedCredentials,
    }),
  })),
  unchanged,
  extra: extra.map(({ kind, name, id }) => ({ kind, name, id })),
});
