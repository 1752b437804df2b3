/** Page of the console to which authorization servers redirect. */
export const OAUTH_CALLBACK_PATH = '/oauth/callback'

/** Document that describes this installation as a client of authorization servers. */
export const OAUTH_CLIENT_PATH = '/oauth/client.json'

/** What an authorization server learns about this installation, with the address to which it redirects (RFC 7591). */
export function oauthClientMetadata(redirectUri: string) {
  return {
    client_name: 'mesh',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // A loopback address is one of an application on the machine of its user (RFC 8252).
    application_type: redirectUri.startsWith('http:') ? 'native' : 'web',
  }
}
