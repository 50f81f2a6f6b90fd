import {
  type Article,
  changeArticle,
  createArticle,
  getArticle,
  type ImportedArticle,
  importArticle,
  listArticles,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import type {
  ArticleChange,
  ArticleInput,
} from '@tallyhand/contracts/features/knowledge/knowledge.fields';
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
    importArticle: build.mutation<ImportedArticle, { file: File } | { url: string }>({
      query(source) {
        if ('url' in source) return call(importArticle, { body: source });
        const form = new FormData();
        form.set('file', source.file);
        return { ...call(importArticle), body: form };
      },
      invalidatesTags: ['knowledge'],
    }),
    changeArticle: build.mutation<Article, { id: string; change: ArticleChange }>({
      query: ({ id, change }) => call(changeArticle, { params: { id }, body: change }),
      invalidatesTags: ['knowledge', 'audit'],
    }),
  }),
});

export const {
  useListArticlesQuery,
  useGetArticleQuery,
  useCreateArticleMutation,
  useImportArticleMutation,
  useChangeArticleMutation,
} = knowledgeApi;
