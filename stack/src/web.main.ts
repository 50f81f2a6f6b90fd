import { fileURLToPath } from 'node:url';
import { runService } from '@tallyhand/service-kit/run-service';
import { serveWebAssets } from './application/web-assets.ts';

await runService({
  name: 'web',
  needed: ['PUBLIC_URL'],
  async start({ PUBLIC_URL = '', SECURITY_CONTACT, COMMUNITY_URL }) {
    const folder = fileURLToPath(new URL('../../web/dist/', import.meta.url));
    const web = await serveWebAssets(folder, PUBLIC_URL, {
      securityContact: SECURITY_CONTACT,
      communityUrl: COMMUNITY_URL,
    });
    return {
      handle: web.handle,
      isReady: async () => true,
      [Symbol.asyncDispose]: () => web[Symbol.asyncDispose](),
    };
  },
});
