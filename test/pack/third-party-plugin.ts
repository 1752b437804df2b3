import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { AuditEvent } from '#schemas/api/audit.ts'
import type { Scope } from '#test/harness/scope.ts'
import { asker } from './third-party-kind.ts'
import type { Asked, Installed } from './third-party-kind.ts'

const loans = '/api/x/lending/loans/default'
const book = (name: string, copies: number) => ({ metadata: { name, namespace: 'default' }, spec: { copies } })

/** A route of `testdata/lending` reviews the caller, fails with an error of the plugin, and appends an event that a consumer answers. */
export async function checkPlugin(t: Scope, installed: Installed): Promise<void> {
  const ask = asker(t, installed)
  for (const [name, copies] of [
    ['emma', 2],
    ['ulysses', 0],
  ] as const)
    assert.equal((await ask('developer', 'POST /api/x/lending/books', book(name, copies))).status, 201)
  const lent = await ask('developer', `POST ${loans}/emma`, { to: 'jane' })
  assert.deepEqual([lent.status, lent.json()], [201, { to: 'jane' }], lent.text)
  const denied = await ask('viewer', `POST ${loans}/emma`, { to: 'jane' })
  assert.equal(denied.status, 403, denied.text)
  assert.match(denied.text, /cannot create resource \\"loans\\" in API group \\"library\.example\\"/)
  const failed = await ask('developer', `POST ${loans}/ulysses`, { to: 'jane' })
  assert.deepEqual([failed.status, failed.json()['code']], [409, 'book_lent_out'], failed.text)
  for (const body of [{}, { to: '' }, { to: 1 }, { to: 'a\0' }, { to: 'x', more: 1 }])
    assert.equal((await ask('developer', `POST ${loans}/emma`, body)).status, 400, JSON.stringify(body))
  await checkRows(ask)
  assert.match(
    await readEvents(installed, 'developer', 'example.library.lending.noted.v1'),
    /"subject":"default\/Book\/emma"/,
  )
  assert.equal(await readEvents(installed, 'other-tenant', 'example.library.lending.noted.v1'), '403')
}

/** An agent has the variable that the plugin adds to its pods. */
export async function checkPodPart(t: Scope, installed: Installed): Promise<void> {
  const ask = asker(t, installed)
  const config = { name: 'reader', runtime: { command: [process.execPath, '-e', answersWithLimit] } }
  const created = await ask('developer', 'POST /api/agents', { namespace: 'default', config })
  assert.equal(created.status, 201, created.text)
  const agent = { namespace: 'default', name: 'reader' }
  const run = await ask('developer', 'POST /api/invoke', { agent, input: 'limit?' })
  assert.deepEqual([run.status, run.json()['output']], [200, '5'], run.text)
}

const answersWithLimit = `require('node:http').createServer((request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ output: process.env.LENDING_LIMIT ?? 'none' }))
}).listen(process.env.AGENT_PORT, '127.0.0.1')`

// CON12: the rows of a success, a denial and a failure have the names of the declarations.
async function checkRows(ask: Asked): Promise<void> {
  const wanted = [
    'developer lend Book emma success',
    'viewer create Loan emma denied',
    'developer create Loan ulysses error',
  ]
  const read = async (): Promise<readonly string[]> => {
    const answer = await ask('operator', 'GET /api/audit?namespace=default&limit=200')
    return answer
      .json<{ items: AuditEvent[] }>()
      .items.map((row) => [row.actor, row.action, row.resource_kind, row.resource_name, row.outcome].join(' '))
  }
  for (const end = performance.now() + 20_000; ; await pause(200)) {
    const rows = await read()
    const missing = wanted.filter((row) => !rows.includes(row))
    if (missing.length === 0) return
    assert.ok(performance.now() < end, `missing: ${missing.join(', ')}; there are:\n${rows.join('\n')}`)
  }
}

/** The text of the event feed up to the first event of a type, or the status. */
export async function readEvents({ url, tokens }: Installed, who: string, type: string): Promise<string> {
  const headers = { authorization: `Bearer ${tokens[who] ?? ''}` }
  const answer = await fetch(`${url}/api/events?namespace=default&after=start&type=${type}`, {
    headers,
    signal: AbortSignal.timeout(20_000),
  })
  if (answer.status !== 200) return String(answer.status)
  let text = ''
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString()
    if (text.includes('"data":')) break
  }
  return text
}
