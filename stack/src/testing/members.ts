import {
  createApiKey,
  type NewApiKey,
} from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import {
  type CurrentUser,
  registerUser,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import { changeRetention } from '@tallyhand/contracts/features/organizations/retention.endpoints';
import { issueInvitation, removeMember } from '@tallyhand/contracts/features/team/team.endpoints';
import { ROLES, type Role } from '@tallyhand/contracts/kernel/role';
import { type ApiClient, apiClient, keyClient, testPassword } from '@tallyhand/test-kit/api-client';

const KEY_MS = 86_400_000;

type Invited = { readonly id: string; readonly email: string; readonly token: string };

/** An invitation of a new email address. */
export async function invite(admin: ApiClient, role: Role): Promise<Invited> {
  const email = `${crypto.randomUUID()}@example.com`;
  const { status, body } = await admin.call<Invited>(issueInvitation, { body: { email, role } });
  if (status !== 201) throw new Error(`The invitation answered ${status}`);
  return body;
}

/** A new API key of the Admin's organization. */
export async function newKey(admin: ApiClient, role: Role, name = `The ${role}'s`) {
  // An Auditor's key must expire.
  const expiresAt = new Date(Date.now() + KEY_MS).toISOString();
  const body = { name, role, ...(role === 'Auditor' ? { expiresAt } : {}) };
  const { status, body: made } = await admin.call<NewApiKey>(createApiKey, { body });
  if (status !== 201) throw new Error(`The key answered ${status}`);
  return made;
}

/** A caller by an API key of each role. */
export async function keysOfEachRole(admin: ApiClient, url: string): Promise<Map<Role, ApiClient>> {
  const clients = new Map<Role, ApiClient>();
  for (const role of ROLES) clients.set(role, keyClient(url, (await newKey(admin, role)).key));
  return clients;
}

type Joined = { readonly client: ApiClient; readonly user: CurrentUser };

/** A new member of the Admin's organization, by a real invitation, signed in. */
export async function joinAs(admin: ApiClient, url: string, role: Role): Promise<Joined> {
  const { email, token } = await invite(admin, role);
  const client = apiClient(url);
  const body = { email, username: `The ${role}`, password: testPassword, invite: token };
  const answer = await client.call<{ user: CurrentUser }>(registerUser, { body });
  if (answer.body.user.role !== role) throw new Error(`Joined as ${answer.body.user.role}`);
  return { client, user: answer.body.user };
}

/** A rule of retention, and a removed member whom it will erase. */
export async function retainFormerMember(admin: ApiClient, url: string): Promise<void> {
  const { user } = await joinAs(admin, url, 'Viewer');
  const { status } = await admin.call(removeMember, { params: { id: user.id } });
  if (status !== 204) throw new Error(`The removal answered ${status}`);
  await admin.call(changeRetention, { body: { days: 365 } });
}

/** A member of each role, the Admin among them. */
export async function membersOfEachRole(
  admin: ApiClient,
  url: string,
): Promise<Map<Role, ApiClient>> {
  const clients = new Map<Role, ApiClient>([['Admin', admin]]);
  for (const role of ROLES.filter((each) => each !== 'Admin')) {
    clients.set(role, (await joinAs(admin, url, role)).client);
  }
  return clients;
}
