import {
  ArticleCreated,
  ArticleDeleted,
  ArticleRestored,
} from '@tallyhand/contracts/features/knowledge/knowledge.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { RECORDED_AT, rulesOf } from '../../kit/testing/given.ts';
import { articleDecider } from './article.decider.ts';

const organizationId = derivedId('organization');
const stranger = derivedId('another organization');
const own = { articleId: derivedId('article'), organizationId };
const text = {
  title: 'Returns',
  content: { kind: 'inline' as const, text: 'Within 30 days.' },
  category: 'General',
  tags: ['returns'],
  isPublic: false,
};

const create = { type: 'CreateArticle' as const, data: { ...own, ...text } };
const remove = (by = organizationId) => ({
  type: 'DeleteArticle' as const,
  data: { organizationId: by },
});
const restore = (by = organizationId) => ({
  type: 'RestoreArticle' as const,
  data: { organizationId: by },
});

const created = ArticleCreated({ ...own, ...text, version: 1 });
const deleted = ArticleDeleted(own);
const restored = ArticleRestored(own);

const given = rulesOf(articleDecider);

describe('CreateArticle', () => {
  it('makes the article in its first version', () => {
    given().when(create).thenAppended(created);
    expect(given(created).state()).toMatchObject({ isDeleted: false, createdAt: RECORDED_AT });
  });
  it('keeps a long text as the hash of its blob', () => {
    const content = { kind: 'blob' as const, hash: 'a'.repeat(64), bytes: 400_000 };
    given()
      .when({ ...create, data: { ...create.data, content } })
      .thenAppended(ArticleCreated({ ...own, ...text, content, version: 1 }));
  });
  it('does nothing the second time it arrives', () => {
    given(created).when(create).thenNothing();
  });
});

describe('DeleteArticle', () => {
  it('deletes the article', () => {
    given(created).when(remove()).thenAppended(deleted);
  });
  it('deletes it again after it was restored', () => {
    given(created, deleted, restored).when(remove()).thenAppended(deleted);
  });
  it('is refused the second time it arrives: there is no such article', () => {
    given(created, deleted).when(remove()).thenRefused('not-found', { what: 'article' });
  });
  it('is refused where there is no article, or one of another organization', () => {
    given().when(remove()).thenRefused('not-found', { what: 'article' });
    given(created).when(remove(stranger)).thenRefused('not-found', { what: 'article' });
  });
});

describe('RestoreArticle', () => {
  it('brings a deleted article back', () => {
    given(created, deleted).when(restore()).thenAppended(restored);
    expect(given(created, deleted, restored).state()).toMatchObject({ isDeleted: false });
  });
  it('is refused when the article is not deleted, as after the first time it arrived', () => {
    given(created).when(restore()).thenRefused('article-not-deleted');
    given(created, deleted, restored).when(restore()).thenRefused('article-not-deleted');
  });
  it('is refused where there is no article, or one of another organization', () => {
    given().when(restore()).thenRefused('not-found', { what: 'article' });
    given(created, deleted).when(restore(stranger)).thenRefused('not-found', { what: 'article' });
  });
});
