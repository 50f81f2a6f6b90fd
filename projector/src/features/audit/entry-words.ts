import { searchVector } from '@tallyhand/service-kit/audit-words';

type Recorded = {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly envelope: { readonly organizationId: string | null; readonly correlationId: string };
};

/** What an entry is found by, as PostgreSQL keeps it. */
export const searchOf = (event: Recorded, revealed: Record<string, string>): string =>
  searchVector(event.envelope.organizationId ?? '', textsOf(event, revealed));

function* textsOf({ type, data, envelope }: Recorded, revealed: Record<string, string>) {
  yield type.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  yield envelope.correlationId;
  yield* Object.values(revealed);
  for (const [name, value] of Object.entries(data)) {
    const isCiphertext = `data.${name}` in revealed;
    if (!isCiphertext && value !== envelope.organizationId) yield* leavesOf(value);
  }
}

/** Texts and numbers, however deep they stand. */
function* leavesOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'number') yield String(value);
  else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) yield* leavesOf(inner);
  }
}
