import { existsSync } from 'node:fs';

/** A real server to run the suite against, in place of the embedded one. */
export const realServerUrl: string | undefined = process.env.EVENTSTORE_URL;

/** Whether testcontainers can start a real server here. */
export const hasContainerEngine: boolean =
  process.env.DOCKER_HOST !== undefined || existsSync('/var/run/docker.sock');
