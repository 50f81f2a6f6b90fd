import {
  type Invitation,
  type IssuedInvitation,
  issueInvitation,
  listInvitations,
} from '@tallyhand/contracts/features/team/team.endpoints';
import { registerOrganization } from '@tallyhand/test-kit/api-client';
import { testDatabase, testEventStore } from '@tallyhand/test-kit/backends';
import { startMailServer } from '@tallyhand/test-kit/mail-server';
import { expect, it } from 'vitest';
import { applicationProcess } from './application-process.ts';

it('a mail whose process is killed before the server answered is sent once, and is uncertain', async () => {
  await using server = await startMailServer();
  await using database = await testDatabase();
  await using eventStore = await testEventStore();
  await using application = await applicationProcess(database.url, eventStore.url);
  const env = { SMTP_URL: server.url, MAIL_FROM: 'tallyhand@example.com' };
  await application.start(env);
  const { client } = await registerOrganization(application.url);
  const stateOf = async (id: string) => {
    const { body } = await client.call<Invitation[]>(listInvitations);
    return body.find((each) => each.id === id)?.mail?.state;
  };
  const invite = async (email: string) =>
    (await client.call<IssuedInvitation>(issueInvitation, { body: { email } })).body.id;

  server.behave('never answers the message');
  const cut = await invite('cut@example.com');
  await expect.poll(() => server.received.length).toBe(1);
  await application.kill();
  server.behave('takes');
  await application.start(env);
  await expect.poll(() => stateOf(cut)).toBe('uncertain');
  // Later mail is sent, without the uncertain one.
  const next = await invite('next@example.com');
  await expect.poll(() => stateOf(next)).toBe('sent');
  expect(server.received.map(({ to }) => to)).toEqual([['cut@example.com'], ['next@example.com']]);
});
