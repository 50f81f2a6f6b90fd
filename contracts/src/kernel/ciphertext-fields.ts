import { z } from 'zod';
import { Ciphertext } from './ids.ts';

/** The fields of an object that are text under a person's key. */
export const ciphertextFields = ({ shape }: z.ZodObject): readonly string[] =>
  Object.keys(shape).filter((name) => isCiphertext(shape[name]));

function isCiphertext(field: unknown): boolean {
  const isWrapped = field instanceof z.ZodOptional || field instanceof z.ZodNullable;
  return isWrapped ? isCiphertext(field.unwrap()) : field === Ciphertext;
}
