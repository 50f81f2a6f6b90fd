import { z } from 'zod';

const Time = z.iso.datetime({ offset: true }).or(z.iso.date());
/** PostgreSQL knows no year 0, and years of more digits are written otherwise. */
const YEARS = /^(?!0000)\d{4}-/;
const DAY_MS = 86_400_000;

const parameter = (name: string, moment: (text: string) => string) =>
  Time.transform(moment)
    .refine((text) => YEARS.test(text))
    .catch('')
    .refine(Boolean, `${name} must be a day or a moment`);

/** Parameters that are days (UTC) or moments, as moments. */
export const Moment = {
  /** The beginning of a day, or the moment itself. */
  from: (name: string) => parameter(name, (text) => new Date(text).toISOString()),
  /** A day counts whole. */
  to: (name: string) =>
    parameter(name, (text) =>
      new Date(Date.parse(text) + (text.includes('T') ? 0 : DAY_MS)).toISOString(),
    ),
};
