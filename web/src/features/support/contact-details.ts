/**
 * How to reach the operator. Null values are not shown, or lead to the form: nothing is invented.
 * An operator fills it in before the web is built.
 */
export const contactDetails: {
  readonly email: string | null;
  readonly phone: string | null;
  readonly officeAddress: string | null;
} = {
  email: null,
  phone: null,
  officeAddress: null,
};
