import assert from 'node:assert/strict'
import test from 'node:test'
import type { ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import type { Interrupt, InvokeRequest, LauncherEntry } from '#schemas/runs/run.ts'
import { post, readEvents } from '../testdata/launch.ts'
import { frameOf, opens, startGateway } from '../testdata/proxied-launcher.ts'
import { startTestLauncher } from '../testdata/start-launcher.ts'
import { gives, refusesWith, startToolServer } from '../testdata/tool-server.ts'
import type { TestOffer } from '../testdata/tool-server.ts'
import { toConsentKey } from '#schemas/names/consent-key.ts'
import { toResultText } from '#plugins/mcp/launcher/loop-tools.ts'

const inputSchema = { type: 'object', properties: { id: { type: 'string' } } }
const offers: readonly TestOffer[] = [
  { name: 'x_find', inputSchema },
  { name: 'x_close', inputSchema, requiresApproval: true },
]

interface Message {
  readonly role: string
  readonly content: string
}

/** A declarative agent whose model calls a tool once, and then answers with what the tool gave. */
async function start(t: TestContext, tool: string) {
  const state = await startToolServer(t, offers)
  const gateway = await startGateway(t, (response, { body }) => {
    const messages = body['messages'] as readonly Message[]
    const result = messages.find(({ role }) => role === 'tool')
    stream(response, result === undefined ? tool : { content: result.content })
  })
  const launcher = await startTestLauncher(t, {
    command: [],
    config: { name: 'robot', namespace: 'default', uid: 'uid-1', model: { route: 'mock' } },
    env: { DISCOVERY_PORT: '0', STATE_URL: state.url, MODEL_GATEWAY_URL: gateway.url },
  })
  const url = `http://127.0.0.1:${launcher.open['invoke']}`
  const invoke = async (runId: string, request: InvokeRequest): Promise<readonly LauncherEntry[]> => {
    await post(`${url}/invoke`, request, { 'x-mesh-run-id': runId })
    return readEvents(`${url}/runs/${runId}/events`)
  }
  return { state, gateway, invoke, spans: launcher.spans }
}

function stream(response: ServerResponse, answer: string | { readonly content: string }): void {
  opens(response)
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: answer, arguments: '{"id":"7"}' } }
  const delta = typeof answer === 'string' ? { tool_calls: [call] } : answer
  response.write(frameOf(delta, typeof answer === 'string' ? 'tool_calls' : 'stop'))
  response.end('data: [DONE]\n\n')
}

test('mcp: the built-in loop offers bound tools to its model and calls them, with one span and one pair of entries', async (t) => {
  const { state, gateway, invoke, spans } = await start(t, 'x_find')
  state.reply = gives('Ticket 7 is open.')
  const entries = await invoke('r1', { input: 'What of 7?' })
  assert.deepEqual([entries.at(-1)?.kind, entries.at(-1)?.data['output']], ['run.succeeded', 'Ticket 7 is open.'])
  const offered = gateway.requests[0]?.body['tools'] as { function: { name: string; parameters: object } }[]
  assert.deepEqual(
    offered.map(({ function: { name, parameters } }) => [name, parameters]),
    [
      ['x_find', inputSchema],
      ['x_close', inputSchema],
    ],
  )
  assert.deepEqual(state.calls, [{ path: '/mcp/tools/x_find/calls', args: { id: '7' } }])
  assert.equal(state.requests.at(-1)?.headers['x-mesh-run-id'], 'r1')
  assert.equal(entries.filter(({ kind }) => kind.startsWith('tool.')).length, 2)
  assert.equal(spans().filter(({ name }) => name === 'tool x_find').length, 1)
})

test('mcp: the loop waits for the approval of a bound tool, and calls it with the edited arguments', async (t) => {
  const { state, invoke } = await start(t, 'x_close')
  const paused = (await invoke('r1', { input: 'Close 7.' })).at(-1)
  assert.equal(paused?.kind, 'run.paused')
  const { interrupts, checkpoint } = paused.data as unknown as {
    interrupts: { id: string; tool: string; schema: object }[]
    checkpoint: unknown
  }
  assert.deepEqual([interrupts[0]?.tool, interrupts[0]?.schema, state.calls], ['x_close', inputSchema, []])
  const resolutions = [{ interruptId: interrupts[0]?.id ?? '', decision: 'approve' as const, arguments: { id: '8' } }]
  const done = await invoke('r1', { input: 'Close 7.', context: { resume: { resolutions, checkpoint } } })
  assert.equal(done.at(-1)?.kind, 'run.succeeded')
  assert.deepEqual(state.calls, [{ path: '/mcp/tools/x_close/calls', args: { id: '8' } }])
})

test('mcp: a call without a consent pauses the run with the page that asks for it, and is made again when it resumes', async (t) => {
  const { state, invoke } = await start(t, 'x_find')
  const refuse = refusesWith(403, 'tool_auth_required')
  state.reply = refuse
  const pausedOf = (entries: readonly LauncherEntry[]) => {
    const last = entries.at(-1)
    assert.equal(last?.kind, 'run.paused', JSON.stringify(last))
    return last.data as unknown as { pauseReason: string; interrupts: readonly Interrupt[]; checkpoint: unknown }
  }
  const resume = (
    { interrupts: [asked], checkpoint }: ReturnType<typeof pausedOf>,
    decision: 'approve' | 'reject' = 'approve',
    runId = 'r1',
  ) => {
    const resolutions = [{ interruptId: asked?.id ?? '', decision }]
    return invoke(runId, { input: 'What of 7?', context: { resume: { resolutions, checkpoint } } })
  }
  const first = pausedOf(await invoke('r1', { input: 'What of 7?' }))
  const [asked] = first.interrupts
  assert.deepEqual([first.pauseReason, asked?.reason, asked?.tool], ['auth_required', 'auth_required', 'x_find'])
  assert.deepEqual(asked?.consent, { namespace: 'default', server: 'crm', path: '/consent/default/crm?run=r1' })
  assert.ok(asked.id.startsWith(`aut_${toConsentKey('default', 'crm')}_`))
  // Resumed by hand, in vain: it asks again, by another id.
  const second = pausedOf(await resume(first))
  assert.notEqual(second.interrupts[0]?.id, asked.id)
  state.reply = gives('Ticket 7 is open.')
  const done = await resume(second)
  assert.equal(done.at(-1)?.data['output'], 'Ticket 7 is open.')
  assert.equal(state.calls.length, 3)
  // Declined: the model reads it.
  state.reply = refuse
  const third = pausedOf(await invoke('r2', { input: 'What of 7?' }))
  const declined = await resume(third, 'reject', 'r2')
  assert.match(String(declined.at(-1)?.data['output']), /declined/)
})

test('mcp: a failed tool is a result that the model reads; without its tools the run fails with tool_error', async (t) => {
  const { state, gateway, invoke } = await start(t, 'x_find')
  state.reply = gives('No such ticket.', true)
  const entries = await invoke('r1', { input: 'What of 7?' })
  assert.equal(entries.at(-1)?.data['output'], '{"error":"No such ticket."}')
  assert.equal(entries.find(({ kind }) => kind === 'tool.finished')?.data['isError'], true)
  const fresh = await start(t, 'x_find')
  fresh.state.isDown = true
  const failed = (await fresh.invoke('r1', { input: 'hi' })).at(-1)
  assert.deepEqual([failed?.kind, failed?.data['failReason']], ['run.failed', 'tool_error'])
  assert.deepEqual([gateway.requests.length, fresh.gateway.requests.length], [2, 0])
})

test('mcp: what is no text in a result is named for the model, and left out', () => {
  const content = [
    { type: 'text', text: 'a' },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'x:1', text: 'b' } },
    null,
  ]
  assert.equal(toResultText({ content, isError: false }), 'a\n[image left out]\nb\n')
})
