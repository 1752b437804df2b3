/** The words of the pages of consents, in English. */
export const grantsText = {
  title: 'My consents',
  note: 'Only yours. Tokens are stored encrypted, and no page shows them.',
  empty: 'You have given no consent',
  emptyDetail: 'A server with consents calls its tools as you, once you have granted access on its page.',
  servers: 'MCP servers',
  columns: { server: 'Server', scopes: 'Scopes', state: 'State', expires: 'Token ends', created: 'Granted' },
  states: { usable: 'usable', again: 'consent again' },
  noScopes: 'those of the server',
  refreshed: 'is renewed without you',
  revoke: 'Revoke',
  revocation: {
    title: (server: string) => `Revoke your consent to ${server}`,
    effects: [
      'The tokens are removed here at once, and revoked at the authorization server.',
      'Your runs that call this server pause until you consent again.',
    ],
    done: (server: string) => `Your consent to ${server} is revoked`,
  },
  card: {
    title: 'Your consent',
    none: 'Agents call this server as the person who started the run. You have not granted access.',
    granted: 'Agents call this server as you, in runs that you start.',
    unusable: 'The server refused your token. Grant access again.',
    loading: 'Looking for your consent',
    grant: 'Grant access',
    again: 'Grant access again',
    disabled: 'Consents are not enabled here: they need a database.',
  },
  consent: {
    title: (server: string) => `Consent to ${server}`,
    detail: (place: string) =>
      `The MCP server ${place} acts for you: its authorization server asks you next which access you grant. You can revoke it at any time.`,
    ofRun: 'The run continues by itself after that.',
    done: 'You have granted access already.',
    go: 'Continue to the authorization server',
    run: 'Open the run',
    back: 'Open the server',
    wrongAddress: 'The authorization server has no address that a browser can open.',
  },
  callback: {
    title: 'Consent',
    working: 'Your consent is being stored.',
    none: 'Nothing was granted',
    noneDetail: 'This address is where an authorization server returns to. Begin on the page of an MCP server.',
    failed: 'Access was not granted',
    refusals: {
      consent_denied: 'You, or the authorization server, have refused. Nothing was stored.',
      consent_invalid:
        'This return belongs to no open consent of this session: it was used, it is older than ten minutes, or another browser began it.',
      authorization_server_unusable: 'The authorization server did not answer as OAuth requires.',
      grant_quota_exceeded: 'You have as many consents as one person may have. Revoke one first.',
    },
    mine: 'My consents',
  },
} as const
