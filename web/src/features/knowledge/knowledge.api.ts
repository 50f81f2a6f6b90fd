import {
  type Article,
  createArticle,
  deleteArticle,
  getArticle,
  listArticles,
  restoreArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import type { ArticleInput } from '@tallyhand/contracts/features/knowledge/knowledge.fields';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';

const knowledgeApi = api.injectEndpoints({
  endpoints: (build) => ({
    listArticles: build.query<Article[], void>({
      query: () => call(listArticles),
      providesTags: ['knowledge'],
    }),
    getArticle: build.query<Article, string>({
      query: (id) => call(getArticle, { params: { id } }),
      providesTags: ['knowledge'],
    }),
    createArticle: build.mutation<Article, ArticleInput>({
      query: (body) => call(createArticle, { body }),
      invalidatesTags: ['knowledge'],
    }),
    deleteArticle: build.mutation<null, string>({
      query: (id) => call(deleteArticle, { params: { id } }),
      invalidatesTags: ['knowledge', 'agents'],
    }),
    restoreArticle: build.mutation<Article, string>({
      query: (id) => call(restoreArticle, { params: { id } }),
      invalidatesTags: ['knowledge', 'agents'],
    }),
  }),
});

export const {
  useListArticlesQuery,
  useGetArticleQuery,
  useCreateArticleMutation,
  useDeleteArticleMutation,
  useRestoreArticleMutation,
} = knowledgeApi;
