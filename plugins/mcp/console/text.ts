/** The words of the pages of MCP servers, in English. */
export const mcpText = {
  title: 'MCP servers',
  noun: 'MCP server',
  about: 'A server of tools that agents may call, with the definitions that were accepted.',
} as const
