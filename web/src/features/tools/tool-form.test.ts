import type { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { describe, expect, it } from 'vitest';
import { fieldOf, toolForm } from './tool-form.ts';
import { type ToolValues, valuesOf } from './tool-values.ts';

const complete: ToolValues = {
  ...valuesOf(),
  name: 'Orders',
  description: 'Looks orders up in the shop',
};
const tool: Tool = {
  id: '0198c0de-0000-7000-8000-000000000001',
  name: 'Orders',
  type: 'api',
  description: 'Looks orders up in the shop',
  config: { baseUrl: '', authType: 'bearer', extras: {} },
  policies: null,
  credentialNames: ['token'],
  credentialsRequired: null,
  version: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

/** The messages by field. */
function faults(changed: Partial<ToolValues>, of?: Tool) {
  const start = of ? valuesOf(of) : complete;
  const { error } = toolForm(of).safeParse({ ...start, ...changed });
  const issues = error?.issues ?? [];
  return Object.fromEntries(issues.map(({ path, message }) => [path.join('.'), message]));
}

describe('the form of a tool', () => {
  it('reports each fault at its field', () => {
    expect(faults({ name: 'O', description: 'Short', baseUrl: 'shop' })).toEqual({
      name: 'Tool name must be at least 2 characters',
      description: 'Description must be at least 10 characters',
      baseUrl: 'Please enter a valid URL',
    });
    expect(faults({ type: 'browser', startUrl: 'javascript:alert(1)' })).toEqual({
      startUrl: 'Please enter a valid URL',
    });
    expect(faults({ type: 'custom', script: 'x'.repeat(64_001) })).toEqual({
      script: 'At most 64000 characters',
    });
  });
  it('has no fault in a field that the type does not show', () => {
    const hidden = { baseUrl: 'shop', openapi: 'no', headers: [{ name: '', value: 'x' }] };
    expect(faults({ type: 'custom', startUrl: 'no', ...hidden })).toEqual({});
  });
  it('requires the credentials that the kind of access needs', () => {
    expect(faults({ authType: 'basic', credentials: { username: 'anna', password: '' } })).toEqual({
      'credentials.password': 'Required for this authentication type',
    });
    expect(faults({ authType: 'apikey', credentials: { apiKey: 'x'.repeat(4_001) } })).toEqual({
      'credentials.apiKey': 'At most 4000 characters',
    });
  });
  it('offers a sign-in at MCP servers with an address only', () => {
    const message = 'OAuth is for MCP servers with an http or https address only';
    const authType = 'oauth';
    const baseUrl = 'https://calendar.example.com/mcp';
    expect(faults({ authType, baseUrl })).toEqual({ authType: message });
    expect(faults({ authType, type: 'mcp', baseUrl: 'stdio:memory' })).toEqual({
      authType: message,
    });
    const mcp = { authType, type: 'mcp', baseUrl } as const;
    expect(faults(mcp)).toEqual({});
    expect(faults({ ...mcp, credentials: { clientId: '', clientSecret: 'one' } })).toEqual({
      'credentials.clientId': 'Required with a client secret',
    });
  });
  it('requires none when the stored ones can be used', () => {
    expect(faults({ replacing: true }, tool)).toEqual({});
    expect(faults({ authType: 'apikey' }, tool)).toEqual({
      'credentials.apiKey': 'Required for this authentication type',
    });
  });
  it('requires names that can be sent, and no repeated ones', () => {
    const headers = [
      { name: '', value: '' },
      { name: '', value: 'x' },
      { name: 'x shop', value: '' },
      { name: 'Accept', value: 'a' },
      { name: 'accept', value: 'b' },
      { name: 'Authorization', value: 'Bearer x' },
    ];
    expect(faults({ headers })).toEqual({
      'headers.1.name': 'A name is required',
      'headers.2.name': 'Not a valid header name',
      'headers.4.name': 'This name is already in use',
      'headers.5.name': 'Choose an authentication for this',
    });
    const secrets = [
      { name: 'a b', value: 'x' },
      { name: 'key', value: '' },
      { name: 'token', value: 'x' },
    ];
    const credentials = { token: 'x' };
    expect(
      faults({ type: 'custom', authType: 'bearer', credentials, secrets, allowedHosts: 'a.b' }),
    ).toEqual({
      'secrets.0.name': 'Use only letters, digits and _',
      'secrets.1.value': 'Must not be empty',
      'secrets.2.name': 'This name is already in use',
    });
  });
  it('checks an OpenAPI document that is JSON', () => {
    expect(faults({ openapi: 'openapi: 3.1.0' })).toEqual({});
    expect(faults({ openapi: '{"openapi": ' })).toEqual({ openapi: 'This is not valid JSON' });
    expect(faults({ openapi: '{"swagger": "2.0"}' })).toHaveProperty('openapi');
    const openapi = '{"openapi": "3.1.0", "paths": {"/orders": {"get": {}}}}';
    expect(faults({ openapi })).toEqual({});
  });
  it("shows the server's messages at the fields that they name", () => {
    const values: ToolValues = {
      ...complete,
      type: 'api',
      authType: 'bearer',
      headers: [
        { name: 'a', value: '' },
        { name: 'x.shop', value: '1' },
      ],
    };
    const paths = ['name', 'authCredentials.token', 'config.baseUrl', 'config.extras.x.shop'];
    expect([...paths, 'config.extras'].map((path) => fieldOf(path, values))).toEqual([
      'name',
      'credentials.token',
      'baseUrl',
      'headers.1.value',
      'headers',
    ]);
  });
});
