/** An expected reason not to start, outside the process; the message is for the operator. */
export class StartRefusal extends Error {}
