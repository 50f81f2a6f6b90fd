import { ArticleFilter as ArticleFilterFields } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { addressFilter, DayFields, SearchField } from '../../app/address-filter.ts';

/** The filter of articles and playbooks in an address. */
export const articleFilter = addressFilter({
  ...SearchField,
  ...ArticleFilterFields,
  ...DayFields,
});
