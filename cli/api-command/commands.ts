import { defineApiCommand } from '#cli/contract/command.ts'

/** `meshctl api`. */
export const callApi = defineApiCommand({
  words: 'api',
  summary: 'call a path of the API, and print its response as JSON',
  examples: [
    ['api namespaces', 'GET /api/namespaces'],
    ['api "runs?namespace=demo&limit=1"', 'with a query'],
    ['api namespaces/demo/display-name --method PUT --body name.json', 'with a body'],
  ],
  options: {
    path: { positional: true, required: true, value: 'PATH', help: 'path below /api, with its query' },
    method: { oneOf: ['GET', 'POST', 'PUT', 'DELETE'], default: 'GET', help: 'method of the request' },
    body: { value: 'FILE', help: 'file with the JSON body; - is standard input' },
  },
  load: async () => (await import('./call-api.ts')).callPath,
})
