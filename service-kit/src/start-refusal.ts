/** What keeps a process from starting and is not its own fault; the message is for the operator. */
export class StartRefusal extends Error {}
