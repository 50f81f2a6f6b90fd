import type { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { describe, expect, it } from 'vitest';
import {
  asksForCredentials,
  changeOf,
  configOf,
  inputOf,
  movesCredentials,
  type ToolValues,
  valuesOf,
  withoutMovedCredentials,
} from './tool-values.ts';

const api: Tool = {
  id: '0198c0de-0000-7000-8000-000000000001',
  name: 'Orders',
  description: 'Looks orders up in the shop',
  type: 'api',
  config: {
    baseUrl: 'https://shop.example.com/api',
    authType: 'bearer',
    extras: { 'x-shop': 'larkfell', Accept: 'text/plain' },
  },
  policies: null,
  credentialNames: ['token'],
  credentialsRequired: null,
  version: 3,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const custom: Tool = {
  ...api,
  type: 'custom',
  config: { baseUrl: '', authType: 'none', extras: { script: 'return 1', mode: 'slow' } },
  credentialNames: ['key', 'region'],
};

const signedIn: Tool = {
  ...api,
  type: 'mcp',
  config: { baseUrl: 'https://calendar.example.com/mcp', authType: 'oauth', extras: {} },
  credentialNames: ['accessToken', 'clientId', 'refreshToken'],
};

describe('a tool with a sign-in', () => {
  it('keeps it while nothing of its client is typed', () => {
    expect(changeOf(edited(signedIn, { name: 'Calendar' }), signedIn)).toEqual({
      name: 'Calendar',
    });
    const credentials = { ...valuesOf().credentials, clientId: 'mine' };
    expect(changeOf(edited(signedIn, { credentials }), signedIn).authCredentials).toEqual({
      clientId: 'mine',
    });
  });
});

const edited = (tool: Tool, changed: Partial<ToolValues>): ToolValues => ({
  ...valuesOf(tool),
  ...changed,
});
const typed = (credentials: Record<string, string>) => ({
  ...valuesOf().credentials,
  ...credentials,
});

describe('the form of a tool', () => {
  it('sends nothing where nothing was changed', () => {
    expect(changeOf(valuesOf(api), api)).toEqual({});
    expect(changeOf(valuesOf(custom), custom)).toEqual({});
    expect(
      changeOf(edited(api, { name: ' Orders ', headers: valuesOf(api).headers.reverse() }), api),
    ).toEqual({});
  });
  it('sends policies once they are set, and only if they changed', () => {
    const ask = {
      changes: 'ask' as const,
      operations: [{ name: 'refund', value: 'never' as const }],
    };
    const policies = { changes: 'ask' as const, operations: { refund: 'never' as const } };
    expect(changeOf(edited(api, { policies: ask }), api)).toEqual({ policies });
    expect(changeOf(edited(api, { policies: ask }), { ...api, policies })).toEqual({});
    expect(inputOf(valuesOf())).toMatchObject({ policies: { changes: 'ask', operations: {} } });
  });
  it('sends only changed fields', () => {
    expect(changeOf(edited(api, { name: 'Returns' }), api)).toEqual({ name: 'Returns' });
    const headers = [
      { name: ' x-shop ', value: 'larkfell' },
      { name: '', value: '' },
    ];
    expect(changeOf(edited(api, { headers }), api)).toEqual({
      config: { ...api.config, extras: { 'x-shop': 'larkfell' } },
    });
  });
  it('keeps the fields of a tool that it does not show', () => {
    expect(changeOf(edited(custom, { script: 'return 2' }), custom)).toEqual({
      config: { ...custom.config, extras: { script: 'return 2', mode: 'slow' } },
    });
  });
  it('has the fields of the chosen type, and of no other', () => {
    const values = edited(api, { script: 'return 1', startUrl: ' https://example.com ' });
    const config = { baseUrl: '', authType: 'bearer' };
    expect(configOf({ ...values, type: 'browser' }, api)).toEqual({
      ...config,
      extras: { startUrl: 'https://example.com' },
    });
    expect(configOf({ ...values, type: 'custom' }, api)).toEqual({
      ...config,
      extras: { script: 'return 1' },
    });
  });
  it('begins with an API without credentials', () => {
    expect(inputOf(valuesOf())).toEqual({
      policies: { changes: 'ask', operations: {} },
      name: '',
      description: '',
      type: 'api',
      authCredentials: {},
      config: { baseUrl: '', authType: 'none', extras: {} },
    });
  });
});

describe('the credentials of a tool that is edited', () => {
  it('stay unless others are typed', () => {
    expect(asksForCredentials(valuesOf(api), api)).toBe(false);
    const opened = edited(api, { replacing: true });
    expect(asksForCredentials(opened, api)).toBe(true);
    expect(changeOf(opened, api)).toEqual({});
  });
  it('are sent with all that decides where they go, as the form shows it', () => {
    const opened = edited(api, { replacing: true, credentials: typed({ token: 'new' }) });
    expect(changeOf(opened, api)).toEqual({
      type: 'api',
      config: api.config,
      authCredentials: { token: 'new' },
    });
  });
  it('are required when another type of authentication needs others', () => {
    const values = edited(api, { authType: 'basic' });
    expect(asksForCredentials(values, api)).toBe(true);
    const credentials = typed({ username: 'anna', password: 'secret', token: 'left over' });
    expect(changeOf({ ...values, credentials }, api)).toMatchObject({
      authCredentials: { username: 'anna', password: 'secret' },
    });
  });
  it('are removed when the tool needs none any more', () => {
    expect(changeOf(edited(api, { authType: 'none' }), api)).toMatchObject({ authCredentials: {} });
  });
  it('are replaced together, secrets of a script too', () => {
    const opened = edited(custom, { replacing: true });
    expect(opened.secrets.map(({ name }) => name)).toEqual(['key', 'region']);
    expect(changeOf(opened, custom)).toEqual({});
    const secrets = [{ name: 'key', value: 'new' }];
    expect(changeOf({ ...opened, secrets }, custom)).toMatchObject({
      authCredentials: { key: 'new' },
    });
    expect(changeOf({ ...opened, secrets: [] }, custom)).toMatchObject({ authCredentials: {} });
  });
});

describe('credentials that are kept for another place', () => {
  const hosts = { ...custom, config: { ...custom.config, allowedHosts: ['api.example.com'] } };

  it.each([
    ['another host', api, { baseUrl: 'https://other.example.com/api' }, true],
    ['another path', api, { baseUrl: 'https://shop.example.com/v2' }, true],
    ['another type', api, { type: 'custom' as const }, true],
    ['another script', hosts, { script: 'return 2' }, true],
    ['further hosts', hosts, { allowedHosts: 'api.example.com\nb.example.com' }, true],
    ['the same hosts', hosts, { allowedHosts: ' https://API.example.com/ ' }, false],
    ['another name', hosts, { name: 'Returns' }, false],
  ])('are required again when they would be lost: %s', (_, tool, changed, isLost) => {
    const values = edited(tool, changed);
    expect([movesCredentials(values, tool), asksForCredentials(values, tool)]).toEqual([
      isLost,
      isLost,
    ]);
    // A member who does not know them can still save.
    expect(changeOf(values, tool)).not.toHaveProperty('authCredentials');
  });

  it('do not block another change once they were removed', () => {
    const dropped: Tool = {
      ...api,
      credentialNames: [],
      credentialsRequired: { reason: 'changed', names: ['token'] },
    };
    expect(asksForCredentials(valuesOf(dropped), dropped)).toBe(true);
    expect(changeOf(edited(dropped, { name: 'Returns' }), dropped)).toEqual({ name: 'Returns' });
    const entered = edited(dropped, { credentials: typed({ token: 'new' }) });
    expect(changeOf(entered, dropped)).toMatchObject({ authCredentials: { token: 'new' } });
  });
});

describe("typed credentials beside another member's change", () => {
  const mine = edited(api, { replacing: true, credentials: typed({ token: 'secret' }) });
  const merged = (theirs: Tool) => ({ ...mine, baseUrl: theirs.config.baseUrl });
  const movedTo = (baseUrl: string): Tool => ({ ...api, config: { ...api.config, baseUrl } });

  it('are taken out where the tool was moved to another place', () => {
    const theirs = movedTo('https://elsewhere.example.com/api');
    const values = withoutMovedCredentials(merged(theirs), mine, api, theirs);
    expect(values).toEqual({ ...merged(theirs), credentials: valuesOf().credentials });
    expect(changeOf(values, theirs)).toEqual({});
  });
  it('leave the names of the secrets of a script', () => {
    const theirs = { ...custom, config: { ...custom.config, allowedHosts: ['evil.example'] } };
    const own = edited(custom, { replacing: true, secrets: [{ name: 'key', value: 'secret' }] });
    const both = { ...own, allowedHosts: 'evil.example' };
    const values = withoutMovedCredentials(both, own, custom, theirs);
    expect(values).toEqual({ ...both, secrets: [{ name: 'key', value: '' }] });
  });
  it('stay where they are still sent to the same place', () => {
    const theirs = { ...api, description: 'Finds orders' };
    const values = merged(theirs);
    expect(withoutMovedCredentials(values, mine, api, theirs)).toBe(values);
  });
  it('are none where nothing was typed', () => {
    const theirs = movedTo('https://elsewhere.example.com/api');
    const [own, values] = [valuesOf(api), valuesOf(theirs)];
    expect(withoutMovedCredentials(values, own, api, theirs)).toBe(values);
  });
});
