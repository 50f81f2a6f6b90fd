/** The page that authorization pages of MCP servers lead back to. */
export const SIGNED_IN_PATH = '/tools/signed-in';

/** How the product describes itself to authorization servers (RFC 7591). */
export const oauthClientOf = (redirectUrl: string) => ({
  client_name: 'Tallyhand',
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
});
