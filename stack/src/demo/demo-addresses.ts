import { readSettings, SettingsError } from '@tallyhand/service-kit/settings';
import { addressesOf } from '../supervisor/config.ts';

/**
 * Where the demo calls the product, and where people open it: the given address, otherwise that of
 * `npm start` with the same settings. Throws a sentence for the operator.
 */
export function demoAddresses(given: string | undefined, env: NodeJS.ProcessEnv) {
  if (given !== undefined) {
    const isWeb = URL.canParse(given) && /^https?:$/.test(new URL(given).protocol);
    if (!isWeb) throw new Error(`${given} is not an address like http://127.0.0.1:8080`);
    const { origin } = new URL(given);
    return { callUrl: origin, openUrl: origin };
  }
  const { settings, faults } = readSettings(env);
  if (faults.length > 0) throw new SettingsError(faults);
  const { localUrl, publicUrl } = addressesOf(settings);
  return { callUrl: localUrl, openUrl: publicUrl };
}
