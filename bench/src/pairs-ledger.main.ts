import { isNextLink } from '@tallyhand/service-kit/crypto/hash-chain';
import { giveCredits, newParty, openBenchKit, reserveAndCharge } from './ledger-kit.ts';
import { CREDITS_GIVEN, type PairsLeft } from './pairs.ts';
import { servePairs } from './pairs-server.ts';

/** The product's ledger behind a route of its own: the real command side, and no sign-in. */
const opened = await openBenchKit(JSON.parse(process.argv[2] ?? '{}'));
const party = newParty();
await giveCredits(opened, party, CREDITS_GIVEN);

await servePairs({ pair: () => reserveAndCharge(opened, party), left });

/** Every event is read back: their number, what they leave, and each link of the chain. */
async function left(): Promise<PairsLeft> {
  const { kit, features } = opened;
  const kinds = new Map<string, number>();
  let head = '';
  let isIntact = true;
  for await (const event of kit.streams.eventLog.read(`ledger-${party.organizationId}`, 0n)) {
    kinds.set(event.type, (kinds.get(event.type) ?? 0) + 1);
    isIntact &&= isNextLink(head, event);
    head = event.envelope.link?.hash ?? '';
  }
  return {
    available: await features.credits.available(party.organizationId),
    reserved: kinds.get('CreditsReserved') ?? 0,
    charged: kinds.get('CreditsCharged') ?? 0,
    isIntact,
  };
}
