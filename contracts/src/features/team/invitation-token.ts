type InvitationToken = {
  readonly organizationId: string;
  readonly invitationId: string;
  /** How often the invitation had been resent when the token was created. */
  readonly number: number;
};

/** The content that an invitation's token signs. */
export const invitationSubject = ({ organizationId, invitationId, number }: InvitationToken) =>
  [organizationId, invitationId, ...(number > 0 ? [number] : [])].join('.');

/** Null if it identifies no invitation. */
export function readInvitationSubject(subject: string): InvitationToken | null {
  const [organizationId, invitationId, number = '0', ...rest] = subject.split('.');
  if (!organizationId || !invitationId || !/^\d{1,9}$/.test(number) || rest[0]) return null;
  return { organizationId, invitationId, number: Number(number) };
}
