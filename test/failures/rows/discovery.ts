import { defineFailures } from './failure.ts'
import type { FailureRequest, FailureStage } from './failure.ts'
import { recordedFailures } from './recorded-failures.ts'
import { discoveryPort } from '#plugins/mcp/launcher/port.ts'

const list = { method: 'GET', path: '/tools' } as const
const call: FailureRequest = { method: 'POST', path: '/tools/clock_now/call', body: { arguments: {} } }
const ofRecordedRun = async (stage: FailureStage) => ({ ...call, headers: await stage.recordedRun() })
const known = 'What was listed in the last 10 minutes.'
const once = 'The tool is called once or not at all.'

/** Tools while the state role or their server fails. The time limit of the called tool is 10 s. */
export const discoveryFailures = defineFailures(discoveryPort, {
  'GET /tools': [
    {
      dependency: 'state role',
      request: list,
      healthy: 200,
      killed: { status: 200 },
      frozen: { status: 200, within: 3 },
      slow: { status: 200 },
      note: known,
    },
  ],
  'POST /tools/{name}/call': [
    {
      dependency: 'state role',
      request: call,
      healthy: 200,
      killed: { status: 502, code: 'tools_unavailable' },
      frozen: { status: 502, code: 'tools_unavailable', within: 23 },
      slow: { status: 200 },
      note: once,
    },
    {
      dependency: 'MCP server',
      request: call,
      healthy: 200,
      killed: { status: 502, code: 'tool_unavailable' },
      frozen: { status: 504, code: 'tool_timeout', within: 10 },
      slow: { status: 200 },
      note: once,
    },
  ],
  'POST /tools/{name}/call, recorded': [{ ...recordedFailures, request: ofRecordedRun }],
})
