/**
 * How whoever runs this installation can be reached. What is null is shown nowhere, or leads to the
 * form: nothing is invented. An operator fills it in before the web is built.
 */
export const contactDetails: {
  readonly email: string | null;
  readonly phone: string | null;
  readonly officeAddress: string | null;
  readonly communityUrl: string | null;
} = {
  email: null,
  phone: null,
  officeAddress: null,
  communityUrl: null,
};
