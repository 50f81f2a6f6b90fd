import type { FormatterModule } from 'i18next';
import { numberFormat } from '../ui/formats.ts';

/** Numbers that name something instead of counting it. */
const NAMES: ReadonlySet<unknown> = new Set(['sequence', 'status', 'version']);

/** Formats the values in sentences: quantities as the language writes them. */
export const inWords: FormatterModule = {
  type: 'formatter',
  init() {},
  format: (value, _format, language, options) =>
    typeof value === 'number' && !NAMES.has(options?.interpolationkey)
      ? numberFormat(language).format(value)
      : value,
  // The words name no formats of their own.
  add() {},
  addCached() {},
};
