import { CommandError, EXIT } from '../kit/failures.ts';
import type { Fields, Item } from './kinds.ts';
import type { Fault, ReadFile } from './yaml-file.ts';

export type NamedConnection = { readonly id: string; readonly name: string };

/** The connections of models that agents may choose. Files name them and never create them. */
export class Connections {
  readonly #all: readonly NamedConnection[];

  constructor(all: readonly NamedConnection[]) {
    this.#all = all;
  }

  /** The fields of an agent with names of connections. The id of a deleted connection stays. */
  named(fields: Fields): Fields {
    return withChoices(fields, ({ connectionId, ...choice }) => {
      if (connectionId === undefined) return choice;
      if (connectionId === null) return { connection: null, ...choice };
      const found = this.#all.find(({ id }) => id === connectionId);
      return found ? { connection: found.name, ...choice } : { connectionId, ...choice };
    });
  }

  /** The fields of an agent as the API takes them. Throws if connections share a name. */
  withIds(fields: Fields): Fields {
    return withChoices(fields, ({ connection, ...choice }) => {
      if (connection === undefined) return choice;
      const connectionId = connection === null ? null : this.#idOf(String(connection));
      return { connectionId, ...choice };
    });
  }

  /** Throws if connections share a name that one of the items has. */
  refuseSharedNames(items: readonly Item[]): void {
    for (const name of items.flatMap((item) => namesIn(item.fields))) this.#idOf(name);
  }

  /** The files with names in place of ids, and the names of connections that are not there. */
  check(files: readonly ReadFile[]): { files: ReadFile[]; faults: Fault[] } {
    const read = files.map((one) => ({
      ...one,
      item: { ...one.item, fields: this.named(one.item.fields) },
    }));
    const faults = read.flatMap(({ file, item, lineOf }) =>
      namesIn(item.fields)
        .filter((name) => this.#idOf(name) === undefined)
        .map((name) => ({
          file,
          line: lineOf('model'),
          message: `model: the connection "${name}" does not exist`,
        })),
    );
    return { files: read, faults };
  }

  #idOf(name: string): string | undefined {
    const found = this.#all.filter((one) => one.name === name);
    if (found.length < 2) return found[0]?.id;
    const ids = found.map(({ id }) => `  ${id}`).join('\n');
    throw new CommandError(
      EXIT.refused,
      `${found.length} connections have the name "${name}". Rename or delete all but one:\n${ids}`,
    );
  }
}

/** The fields with another form of the model and of its fallback. Other kinds have no model. */
function withChoices(fields: Fields, change: (choice: Fields) => Fields): Fields {
  const model = fields.model as Fields | null | undefined;
  if (!model) return fields;
  const fallback = model.fallback as Fields | null | undefined;
  return {
    ...fields,
    model: { ...change(model), ...(fallback && { fallback: change(fallback) }) },
  };
}

function namesIn({ model }: Fields): string[] {
  const choices = [model, (model as Fields | null | undefined)?.fallback] as (Fields | null)[];
  return choices.flatMap((one) => (typeof one?.connection === 'string' ? [one.connection] : []));
}
