import {
  changeArticle,
  createArticle,
  getArticle,
  type ImportedArticle,
  importArticle,
  listArticles,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { api, change, read } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';
import { changeSeen } from '../../app/change-seen.ts';
import { readList } from '../../app/pages.ts';

const knowledgeApi = api.injectEndpoints({
  endpoints: (build) => ({
    listArticles: build.query(readList(listArticles, ['knowledge'])),
    getArticle: build.query(read(getArticle, ['knowledge'])),
    createArticle: build.mutation(change(createArticle, ['knowledge'])),
    importArticle: build.mutation<ImportedArticle, { file: File } | { url: string }>({
      query(source) {
        if ('url' in source) return call(importArticle, source);
        const body = new FormData();
        body.set('file', source.file);
        return { ...call(importArticle, {}), body };
      },
      invalidatesTags: ['knowledge'],
    }),
    changeArticle: build.mutation(changeSeen(changeArticle, ['knowledge', 'audit'])),
  }),
});

export const {
  useListArticlesQuery,
  useGetArticleQuery,
  useCreateArticleMutation,
  useImportArticleMutation,
  useChangeArticleMutation,
} = knowledgeApi;
