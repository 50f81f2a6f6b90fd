import { z } from 'zod';

const Time = z.iso.datetime({ offset: true }).or(z.iso.date());
/** PostgreSQL has no year 0, and formats years of more than four digits differently. */
const YEARS = /^(?!0000)\d{4}-/;
const DAY_MS = 86_400_000;

const parameter = (name: string, moment: (text: string) => string) =>
  Time.transform(moment)
    .refine((text) => YEARS.test(text))
    .catch('')
    .refine(Boolean, `${name} must be a day or a moment`);

/** Converts parameters that are days (UTC) or moments to moments. */
export const Moment = {
  /** The beginning of a day, or the moment itself. */
  from: (name: string) => parameter(name, (text) => new Date(text).toISOString()),
  /** A day is included. */
  to: (name: string) =>
    parameter(name, (text) =>
      new Date(Date.parse(text) + (text.includes('T') ? 0 : DAY_MS)).toISOString(),
    ),
};
