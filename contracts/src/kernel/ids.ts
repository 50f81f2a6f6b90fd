import { z } from 'zod';

/** Every id is a UUID: version 7 if new, version 8 if derived for idempotency. */
export const Id = z.uuid({ error: 'Must be an id (UUID)' });
export type Id = z.infer<typeof Id>;

/** The ids of up to `max` things, separated by commas. */
export function IdList(max: number, what: string) {
  const rule = `ids must be 1 to ${max} ids, separated by commas`;
  return z
    .string({ error: rule })
    .refine((text) => {
      const ids = text.split(',');
      return ids.length <= max && ids.every((id) => z.uuid().safeParse(id).success);
    }, rule)
    .meta({
      description: `${what}: 1 to ${max} ids, separated by commas.`,
      examples: ['0193a1b2-0000-7000-8000-000000000001'],
    });
}

/** A moment as ISO 8601 text in UTC, as `Date.toISOString` formats it. */
export const Instant = z.iso.datetime({ offset: true });

/** Text that can be read only with the person's key: a compact JWE. */
export const Ciphertext = z.string().min(1).brand<'Ciphertext'>();
export type Ciphertext = z.infer<typeof Ciphertext>;

/** The fields of an object that are text under a person's key. */
export const ciphertextFields = ({ shape }: z.ZodObject): readonly string[] =>
  Object.keys(shape).filter((name) => isCiphertext(shape[name]));

function isCiphertext(field: unknown): boolean {
  const isWrapped = field instanceof z.ZodOptional || field instanceof z.ZodNullable;
  return isWrapped ? isCiphertext(field.unwrap()) : field === Ciphertext;
}
