import type { Surroundings } from './projection.ts';

/** A deletion keeps the row, and a restoration shows it again. */
export const deletedRow = (_row: unknown, _data: unknown, { at }: Pick<Surroundings, 'at'>) => ({
  deleted_at: at,
});
export const restoredRow = () => ({ deleted_at: null });
