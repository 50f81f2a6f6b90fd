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
};

/** An event's value type from its declaration. */
export type EventOf<K> = K extends EventKind<infer T, infer S> ? EventValue<T, z.infer<S>> : never;

/** The union of the values of a stream's kinds of events. */
export type EventsOf<Kinds> = { [K in keyof Kinds]: EventOf<Kinds[K]> }[keyof Kinds];

/** Declares an event; calling it makes one. Lenient: keys of a newer writer are passed over. */
export function event<const T extends string, S extends z.ZodRawShape>(
  type: T,
  shape: S,
): EventKind<T, z.ZodObject<S>> {
  const schema = z.object(shape);
  const make = (data: z.infer<typeof schema>) => ({ type, data });
  return Object.assign(make, { type, schema });
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
