import { randomBytes } from 'node:crypto';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { DemoRefused, demoAddresses } from './demo/caller.ts';
import { demoEmail, fillDemo } from './demo/fill.ts';

const password = randomBytes(9).toString('base64url');

/** One sentence for the operator. */
function whyNot(error: unknown): string {
  if (error instanceof DemoRefused && error.code === 'email-taken') {
    return `The demo exists already: sign in as ${demoEmail} with the password that was printed when
it was made. For a new one, start the product with an empty DATA_DIR.`;
  }
  return error instanceof Error ? error.message : String(error);
}

try {
  const { callUrl, openUrl } = demoAddresses(process.argv[2], readEnvironment());
  await fillDemo(callUrl, password);
  console.log(`A filled organization is ready. Open ${openUrl}/auth and sign in:
  email     ${demoEmail}
  password  ${password}
Its Editor (demo.editor@example.com) and Viewer (demo.viewer@example.com) have the same password.`);
} catch (error) {
  console.error(whyNot(error));
  process.exitCode = 1;
}
