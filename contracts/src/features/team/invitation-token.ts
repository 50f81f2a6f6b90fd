type InvitationToken = {
  readonly organizationId: string;
  readonly invitationId: string;
  /** How often the invitation had been sent again when the token was made. */
  readonly number: number;
};

/** What the token of an invitation is signed about. */
export const invitationSubject = ({ organizationId, invitationId, number }: InvitationToken) =>
  [organizationId, invitationId, ...(number > 0 ? [number] : [])].join('.');

/** Null for what is the subject of no invitation. */
export function readInvitationSubject(subject: string): InvitationToken | null {
  const [organizationId, invitationId, number = '0', ...rest] = subject.split('.');
  if (!organizationId || !invitationId || !/^\d{1,9}$/.test(number) || rest[0]) return null;
  return { organizationId, invitationId, number: Number(number) };
}
