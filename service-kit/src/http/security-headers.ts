/** Directives and their sources. */
type Policy = Readonly<Record<string, string>>;

/** No framing, no base, and nothing is allowed by default. */
const CLOSED: Policy = {
  'default-src': "'none'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
  'object-src': "'none'",
};

/** Answers of the API are data: a browser that opens one as a page runs and loads nothing. */
export const API_POLICY: Policy = { ...CLOSED, 'form-action': "'none'" };

/** Pages of the web app: only the product's files, and no text that becomes HTML or a script. */
export const PAGE_POLICY: Policy = {
  ...CLOSED,
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'manifest-src': "'self'",
  'form-action': "'self'",
  'require-trusted-types-for': "'script'",
  // The one of web/src/ui/named-character.ts.
  'trusted-types': 'named-character',
};

/** Features that no page uses: an injected script could not use them either. */
const UNUSED_FEATURES = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-get',
  'screen-wake-lock',
  'usb',
  'xr-spatial-tracking',
];

/** The headers of every answer by which a browser keeps other sites away from it. */
export function securityHeaders(publicUrl: string, policy: Policy): Record<string, string> {
  const directives = Object.entries(policy).map(([name, sources]) => `${name} ${sources}`);
  return {
    'content-security-policy': directives.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    'permissions-policy': UNUSED_FEATURES.map((feature) => `${feature}=()`).join(', '),
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    // For browsers that know no frame-ancestors.
    'x-frame-options': 'DENY',
    // Over plain HTTP browsers ignore it, and on a laptop it would stay behind.
    ...(publicUrl.startsWith('https:') && {
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
    }),
  };
}
