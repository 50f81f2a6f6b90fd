/** What the operator typed can't be carried out; the message says why. */
export class OperatorError extends Error {}
