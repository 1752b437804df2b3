import type { Operation } from '../runs/callers.ts'

const version = '2026-07-28'
const _meta = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** One message of MCP 2026-07-28 to an endpoint, whose answer must be a result. */
export function message(method: 'tools/list' | 'tools/call', tool?: string): Operation {
  const params = tool === undefined ? { _meta } : { name: tool, arguments: { text: 'x'.repeat(100) }, _meta }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(tool === undefined ? {} : { 'mcp-name': tool }),
  }
  return async (to) => {
    const answer = await to.request({ path: '/mcp', method: 'POST', headers, body })
    const text = await answer.body.text()
    if (answer.statusCode !== 200 || !text.includes('"result"')) throw new Error(`${answer.statusCode} ${text}`)
  }
}
