/** The words of credentials of MCP servers, in English. */
export const credentialText = {
  kind: 'Credential',
  kinds: {
    none: 'None',
    bearer: 'A token, as bearer',
    header: 'A value in a header',
    oauth: 'The consent of each person (OAuth)',
  },
  header: 'Header',
  headerExample: 'x-api-key',
  clientId: 'Client ID',
  clientIdHint: 'Only for an authorization server that registers no clients.',
  secret: 'Client secret',
  secretHint: 'Paste it once. A public client has none.',
  value: 'Token or value',
  valueRequired: 'This kind of credential needs a value.',
  valueHint: 'Paste it once.',
  dialog: {
    open: 'Set the credential',
    title: (server: string) => `Credential of ${server}`,
    hint: 'It replaces the present one, for every agent of the namespace. It goes to a Secret with your own rights, and is never shown again.',
    action: 'Set the credential',
    done: (server: string) => `${server} has a new credential`,
  },
} as const
