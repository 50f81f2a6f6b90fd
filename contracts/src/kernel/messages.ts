import { z } from 'zod';

/** What the event store keeps of one event: its type's name and its data. */
export type EventValue<T extends string = string, D = unknown> = {
  readonly type: T;
  readonly data: D;
};

export type EventKind<T extends string, S extends z.ZodType> = ((
  data: z.infer<S>,
) => EventValue<T, z.infer<S>>) & {
  readonly type: T;
  readonly schema: S;
} & EventReader<z.infer<S>>;

/** Reads an event's data as it was stored under a version of its shape. Throws what is none. */
export type EventReader<D = unknown> = {
  /** What is written today, counted from 1. */
  readonly version: number;
  /** Brings what is older to today's shape; of a newer writer's the fields that are known. */
  read(data: unknown, version: number): D;
};

/** Makes of one version's data the next one's. What is stored is never changed. */
export type Upcast = (data: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/** An event's value type from its declaration. */
export type EventOf<K> = K extends EventKind<infer T, infer S> ? EventValue<T, z.infer<S>> : never;

/** The union of the values of a stream's kinds of events. */
export type EventsOf<Kinds> = { [K in keyof Kinds]: EventOf<Kinds[K]> }[keyof Kinds];

/**
 * Declares an event; calling it makes one. Lenient: keys of a newer writer are passed over. A shape
 * that changes gets a further upcast, the first of which brings version 1 to version 2.
 */
export function event<const T extends string, S extends z.ZodRawShape>(
  type: T,
  shape: S,
  upcasts: readonly Upcast[] = [],
): EventKind<T, z.ZodObject<S>> {
  const schema = z.object(shape);
  const make = (data: z.infer<typeof schema>) => ({ type, data });
  const read = (data: unknown, version: number) => {
    const present = upcasts
      .slice(version - 1)
      .reduce((older, upcast) => upcast(older), data as Record<string, unknown>);
    return schema.parse(present);
  };
  return Object.assign(make, { type, schema, version: upcasts.length + 1, read });
}

export type CommandKind<T extends string, S extends z.ZodType> = ((data: z.infer<S>) => {
  readonly type: T;
  readonly data: z.infer<S>;
}) & { readonly type: T; readonly schema: S };

/** A command's value type from its declaration. */
export type CommandOf<K> =
  K extends CommandKind<infer T, infer S> ? { readonly type: T; readonly data: z.infer<S> } : never;

/** Declares a command; calling it makes one. Strict: an unknown key is a caller's mistake. */
export function command<const T extends string, S extends z.ZodRawShape>(
  type: T,
  shape: S,
): CommandKind<T, z.ZodObject<S, z.core.$strict>> {
  const schema = z.strictObject(shape);
  const make = (data: z.infer<typeof schema>) => ({ type, data });
  return Object.assign(make, { type, schema });
}
