import { randomBytes } from 'node:crypto';
import { DemoRefused } from './demo/caller.ts';
import { demoEmail, fillDemo } from './demo/fill.ts';

const address = process.argv[2] ?? 'http://127.0.0.1:8080';
const password = randomBytes(9).toString('base64url');

/** One sentence for whoever typed the command. */
function whyNot(error: unknown): string {
  if (error instanceof DemoRefused && error.code === 'email-taken') {
    return `The demo is at ${address} already: sign in as ${demoEmail} with the password that was
printed when it was made. For a new one, start the product with an empty DATA_DIR.`;
  }
  return error instanceof Error ? error.message : String(error);
}

try {
  if (!URL.canParse(address))
    throw new Error(`${address} is no address like http://127.0.0.1:8080`);
  const url = new URL(address).origin;
  await fillDemo(url, password);
  console.log(`A filled organization is ready. Open ${url}/auth and sign in:
  e-mail    ${demoEmail}
  password  ${password}
Its Editor (demo.editor@example.com) and Viewer (demo.viewer@example.com) have the same password.`);
} catch (error) {
  console.error(whyNot(error));
  process.exitCode = 1;
}
