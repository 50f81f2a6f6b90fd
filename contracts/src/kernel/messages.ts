import { z } from 'zod';

/** What the event store stores of an event: the name of its type and its data. */
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

/** Reads an event's data as stored under a version of its shape. Throws if it has none. */
export type EventReader<D = unknown> = {
  /** The version written today, counted from 1. */
  readonly version: number;
  /** Converts older data to today's shape. From newer data it keeps the known fields. */
  read(data: unknown, version: number): D;
};

/** Converts the data of one version to the next. Stored data is never changed. */
export type Upcast = (data: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/** The value type of an event, from its declaration. */
export type EventOf<K> = K extends EventKind<infer T, infer S> ? EventValue<T, z.infer<S>> : never;

/** The union of a stream's event types. */
export type EventsOf<Kinds> = { [K in keyof Kinds]: EventOf<Kinds[K]> }[keyof Kinds];

/**
 * Declares an event; calling it creates one. Lenient: unknown keys of a newer writer are ignored. A
 * changed shape gets one more upcast, the first of which converts version 1 to version 2.
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

/** The value type of a command, from its declaration. */
export type CommandOf<K> =
  K extends CommandKind<infer T, infer S> ? { readonly type: T; readonly data: z.infer<S> } : never;

/** Declares a command; calling it creates one. Strict: an unknown key is a caller's mistake. */
export function command<const T extends string, S extends z.ZodRawShape>(
  type: T,
  shape: S,
): CommandKind<T, z.ZodObject<S, z.core.$strict>> {
  const schema = z.strictObject(shape);
  const make = (data: z.infer<typeof schema>) => ({ type, data });
  return Object.assign(make, { type, schema });
}
