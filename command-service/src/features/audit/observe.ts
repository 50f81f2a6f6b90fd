import type { Observation } from '@tallyhand/contracts/kernel/observation';
import { errorFields } from '@tallyhand/service-kit/log';
import type { Kit } from '../../kit/app.ts';

type ReadRefused = Extract<Observation, { kind: 'read-refused' }>;

/** Takes in what reads leave behind. Returns at once, and never throws. */
export function observerOf({ pool, vault, sightings, recordRefused, log }: Kit) {
  async function takeIn({ call, signInId, refusal, address, correlationId }: ReadRefused) {
    const { rows } = await pool.query<{ user_id: string; organization_id: string }>(
      'select user_id, organization_id from operational.authenticate($1)',
      [signInId],
    );
    const caller = rows[0];
    if (!caller) return;
    const { user_id: id, organization_id: organizationId } = caller;
    recordRefused({
      ...{ call, refusal },
      context: {
        ...{ organizationId, correlationId, actor: { kind: 'member', id, signInId } },
        sourceAddress: await vault.encrypt(id, organizationId, address),
      },
    });
  }
  return (observation: Observation): void => {
    if (observation.kind === 'seen') {
      const { signInId, at } = observation;
      sightings.add({ signInId, at: new Date(at) });
      return;
    }
    takeIn(observation).catch((error) =>
      log.error('a refused read was not told of', errorFields(error)),
    );
  };
}
