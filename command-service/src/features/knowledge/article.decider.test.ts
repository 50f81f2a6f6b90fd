import {
  ArticleChanged,
  ArticleCreated,
  ArticleDeleted,
  ArticleRestored,
} from '@tallyhand/contracts/features/knowledge/knowledge.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { RECORDED_AT, rulesOf } from '../../kit/testing/given.ts';
import { type ArticleFields, articleStream } from './article.decider.ts';

const organizationId = derivedId('organization');
const stranger = derivedId('another organization');
const id = derivedId('article');
const own = { articleId: id, organizationId };
const fields: ArticleFields = {
  title: 'Returns',
  content: { kind: 'inline', text: 'Within 30 days.' },
  category: 'General',
  tags: ['returns'],
  isPublic: false,
};

const create = { type: 'Create' as const, data: { id, organizationId, fields } };
const change = (change: Partial<ArticleFields>, by = organizationId) => ({
  type: 'Change' as const,
  data: { organizationId: by, change },
});
const remove = (by = organizationId) => ({
  type: 'Delete' as const,
  data: { organizationId: by },
});
const restore = (older?: { version: number; fields: ArticleFields }, by = organizationId) => ({
  type: 'Restore' as const,
  data: { organizationId: by, ...(older ? { older } : {}) },
});

const created = ArticleCreated({ ...own, ...fields, version: 1 });
const renamed = ArticleChanged({ ...own, version: 2, title: 'Sending back' });
const deleted = ArticleDeleted(own);
const restored = ArticleRestored(own);
const missing = ['not-found', { what: 'article' }] as const;

const given = rulesOf(articleStream);

describe('creating an article', () => {
  it('makes its first version', () => {
    given().when(create).thenAppended(created);
    expect(given(created).state()).toMatchObject({
      id,
      organizationId,
      fields,
      version: 1,
      isDeleted: false,
      createdAt: RECORDED_AT,
    });
  });
  it('does nothing the second time it arrives', () => {
    given(created).when(create).thenNothing();
  });
});

describe('changing an article', () => {
  it('creates the next version, and records only changed fields', () => {
    given(created)
      .when(change({ ...fields, title: 'Sending back' }))
      .thenAppended(renamed);
    expect(given(created, renamed).state()).toMatchObject({
      version: 2,
      fields: { ...fields, title: 'Sending back' },
    });
  });
  it('keeps a long text as the hash of its blob', () => {
    const content = { kind: 'blob' as const, hash: 'a'.repeat(64), bytes: 400_000 };
    given(created)
      .when(change({ content }))
      .thenAppended(ArticleChanged({ ...own, version: 2, content }));
  });
  it('does nothing where all stays the same', () => {
    given(created)
      .when(change({ title: 'Returns', tags: ['returns'] }))
      .thenNothing();
  });
  it('is refused for an unknown article', () => {
    given()
      .when(change({ title: 'New' }))
      .thenRefused(...missing);
    given(created, deleted)
      .when(change({ title: 'New' }))
      .thenRefused(...missing);
    given(created)
      .when(change({ title: 'New' }, stranger))
      .thenRefused(...missing);
  });
});

describe('deleting an article', () => {
  it('deletes it, and again after it was restored', () => {
    given(created).when(remove()).thenAppended(deleted);
    given(created, deleted, restored).when(remove()).thenAppended(deleted);
  });
  it('is refused the second time it arrives: there is no such article', () => {
    given(created, deleted)
      .when(remove())
      .thenRefused(...missing);
  });
  it('is refused for an unknown article, and for another organization', () => {
    given()
      .when(remove())
      .thenRefused(...missing);
    given(created)
      .when(remove(stranger))
      .thenRefused(...missing);
  });
});

describe('restoring an article', () => {
  const first = { version: 1, fields };

  it('brings a deleted one back', () => {
    given(created, deleted).when(restore()).thenAppended(restored);
    expect(given(created, deleted, restored).state()).toMatchObject({ isDeleted: false });
  });
  it('makes an older version the newest', () => {
    const again = ArticleChanged({ ...own, version: 3, title: 'Returns', restoredFrom: 1 });
    given(created, renamed).when(restore(first)).thenAppended(again);
    expect(given(created, renamed, again).state()).toMatchObject({ version: 3, fields });
  });
  it('does both at once', () => {
    const again = ArticleChanged({ ...own, version: 3, title: 'Returns', restoredFrom: 1 });
    given(created, renamed, deleted).when(restore(first)).thenAppended(restored, again);
  });
  it('does nothing where that version is the newest', () => {
    given(created).when(restore(first)).thenNothing();
  });
  it('is refused when the article is not deleted, as after the first time it arrived', () => {
    given(created).when(restore()).thenRefused('not-deleted', { what: 'article' });
    given(created, deleted, restored)
      .when(restore())
      .thenRefused('not-deleted', { what: 'article' });
  });
  it('is refused for an unknown article, and for another organization', () => {
    given()
      .when(restore())
      .thenRefused(...missing);
    given(created, deleted)
      .when(restore(undefined, stranger))
      .thenRefused(...missing);
  });
});

describe('a condition', () => {
  const only = (...ifMatch: string[]) => ({
    ...change({ title: 'Sending back' }),
    data: { organizationId, ifMatch, change: { title: 'Sending back' } },
  });
  it('holds in the state that it names', () => {
    given(created).when(only('"1"')).thenAppended(renamed);
    given(created).when(only('"7"', '"1"')).thenAppended(renamed);
  });
  it('is refused in any other state, with the present one', () => {
    const present = { what: 'article', version: 2, etag: '"2"' };
    given(created, renamed).when(only('"1"')).thenRefused('version-changed', present);
    given(created, renamed).when(only()).thenRefused('version-changed', present);
  });
  it('says nothing about an article that is gone', () => {
    given(created, deleted)
      .when(only('"1"'))
      .thenRefused(...missing);
  });
});
