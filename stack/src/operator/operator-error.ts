/** The operator's input cannot be carried out; the message says why. */
export class OperatorError extends Error {}
