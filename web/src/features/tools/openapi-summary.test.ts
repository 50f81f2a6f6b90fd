import { describe, expect, it } from 'vitest';
import { openapiSummary } from './openapi-summary.ts';

const document = (paths: object, openapi = '3.1.0') => JSON.stringify({ openapi, paths });

describe('an OpenAPI document', () => {
  it('counts its operations, whatever else it contains', () => {
    const orders = { parameters: [], summary: 'Orders', get: {}, post: {} };
    expect(
      openapiSummary(document({ '/orders': orders, '/orders/{id}': { delete: {} } })),
    ).toMatchObject({ kind: 'operations', count: 3 });
  });
  it('names its operations as agents call them', () => {
    const paths = {
      '/orders': { get: { operationId: 'list orders' }, post: { operationId: 'create' } },
      '/orders/{id}': { delete: {}, put: { operationId: 'create' } },
      '/long': { head: { operationId: 'x'.repeat(80) } },
    };
    expect(openapiSummary(document(paths))).toMatchObject({
      operations: [
        { name: 'list_orders', isRead: true },
        { name: 'create', isRead: false },
        { name: 'create_2', isRead: false },
        { name: 'delete_orders_id', isRead: false },
        { name: 'x'.repeat(64), isRead: true },
      ],
    });
  });
  it.each([
    ['unread', 'openapi: 3.1.0'],
    ['unread', 'https://shop.example/openapi.json'],
    ['not-json', '{"openapi": "3.1.0"'],
    ['not-openapi', '[]'],
    ['not-openapi', '{"swagger": "2.0", "paths": {"/orders": {"get": {}}}}'],
    ['no-operations', document({})],
    ['no-operations', document({ '/orders': { summary: 'Orders' } })],
    ['no-operations', '{"openapi": "3.0.3", "paths": null}'],
  ] as const)('is %s where it can not be used: %s', (kind, text) => {
    expect(openapiSummary(text)).toEqual({ kind });
  });
});
